import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import type { FetchHandler } from "../servers/handlers.ts";
import { changing, JSON_SIZES, jsonOf, streamOf } from "./content.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** The floor: the same work in a hand-written handler. */
export function rawBodies(file: string): FetchHandler {
  const values = new Map(JSON_SIZES.map((kibibytes) => [String(kibibytes), jsonOf(kibibytes)]));
  const tagged = { "content-type": JSON_TYPE, etag: 'W/"4e5-HwnTDHB9U/PRbFMN1z1wps51lqk"' };
  return async (request) => {
    const { url } = request;
    const [what, how, size = ""] = url.slice(url.indexOf("/", 8) + 1).split("/");
    switch (`${what} ${how}`) {
      case "json in":
        await request.json();
        return new Response("ok");
      case "json out":
        return Response.json(values.get(size));
      case "json tagged":
        return new Response(JSON.stringify(values.get(size)), { headers: tagged });
      case "json fresh": {
        const text = JSON.stringify(changing(values.get(size)!));
        const etag = `W/"${Buffer.byteLength(text).toString(16)}-${hash("sha1", text, "base64").slice(0, -1)}"`;
        return new Response(text, { headers: { "content-type": JSON_TYPE, etag } });
      }
      case "upload events":
      case "upload web":
        return new Response(String(await bytesOf(request.body!)));
      case "upload pipe":
        return new Response(String(await piped(request.body!)));
      case "download write":
      case "download stream":
        return new Response(streamOf(Number(size)));
      case "download file": {
        const opened = await Deno.open(file);
        return new Response(opened.readable, { headers: { "content-length": size } });
      }
      default:
        return new Response("Not Found", { status: 404 });
    }
  };
}

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.byteLength;
  return bytes;
}

async function piped(body: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0;
  await body.pipeTo(new WritableStream({ write: (chunk) => void (bytes += chunk.byteLength) }));
  return bytes;
}
