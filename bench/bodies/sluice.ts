import { Writable } from "node:stream";
import sluice, { type FrameworkRequest, type FrameworkResponse } from "@sluice/sluice";
import type { FetchHandler } from "../servers/handlers.ts";
import { changing, CHUNK, CHUNK_BYTES, JSON_SIZES, jsonOf, streamOf } from "./content.ts";

/** Lean Sluice, with every way to read and to write a body, plus JSON with its entity tag under default settings. */
export function sluiceBodies(file: string): FetchHandler {
  const app = sluice().set("env", "production").set("etag", false).set("json charset", false);
  const defaults = sluice().set("env", "production");
  const values = new Map(JSON_SIZES.map((kibibytes) => [String(kibibytes), jsonOf(kibibytes)]));
  defaults.get("/json/tagged/:size", (req, res) => res.json(values.get(req.params.size)));
  defaults.get("/json/fresh/:size", (req, res) => res.json(changing(values.get(req.params.size)!)));
  app.post("/json/in/:size", sluice.json({ limit: "1mb" }), () => new Response("ok"));
  app.get("/json/out/:size", (req, res) => res.json(values.get(req.params.size)));
  app.post("/upload/events/:size", (req, res) => {
    let bytes = 0;
    req.on("data", (chunk: Uint8Array) => bytes += chunk.byteLength);
    req.on("end", () => res.send(String(bytes)));
  });
  app.post("/upload/web/:size", async (req, res) => {
    let bytes = 0;
    for await (const chunk of req.request.body!) bytes += chunk.byteLength;
    res.send(String(bytes));
  });
  app.post("/upload/pipe/:size", (req, res) => {
    let bytes = 0;
    const sink = new Writable({
      write(chunk: Uint8Array, _encoding, done) {
        bytes += chunk.byteLength;
        done();
      },
    });
    req.pipe(sink).on("finish", () => res.send(String(bytes)));
  });
  app.get("/download/write/:size", (req, res) => write(res, Number(req.params.size)));
  app.get("/download/stream/:size", (req: FrameworkRequest) => new Response(streamOf(Number(req.params["size"]))));
  app.get("/download/file/:size", (_req, res) => res.sendFile(file));
  return (request, info) => (/\/(?:tagged|fresh)\//.test(request.url) ? defaults : app).fetch(request, info);
}

/** Writes until the buffer is full, and continues on drain. */
function write(res: FrameworkResponse, left: number): void {
  while (left > 0) {
    const goesOn = res.write(left >= CHUNK_BYTES ? CHUNK : CHUNK.subarray(0, left));
    left -= CHUNK_BYTES;
    if (!goesOn && left > 0) return void res.once("drain", () => write(res, left));
  }
  res.end();
}
