import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { Answer, Ask, Program } from "./program.ts";
import { askRaw, type RawAnswer } from "./raw_client.ts";

/** A request and its response. */
export interface Exchanged {
  readonly ask: Ask;
  /** The response as sent over the wire. */
  readonly raw: RawAnswer;
  /** The response as a client sees it. */
  readonly answer: Answer;
}

/**
 * Sends a program's requests in order, and keeps cookies for those with a jar.
 *
 * @param port The program's port
 * @param requests The requests
 * @returns Requests and responses
 */
export async function askAll(port: number, requests: Program["requests"]): Promise<Exchanged[]> {
  const jars = new Map<string, Map<string, string>>();
  const done: Exchanged[] = [];
  for (const request of requests) {
    const ask = typeof request === "function" ? request(done.map(({ answer }) => answer)) : request;
    const jar = ask.jar === undefined ? undefined : jars.get(ask.jar) ?? new Map<string, string>();
    if (jar !== undefined) jars.set(ask.jar!, jar);
    const cookie = [...jar ?? []].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = cookie === "" ? ask.headers : { ...ask.headers, Cookie: cookie };
    const raw = await askRaw(port, headers === undefined ? ask : { ...ask, headers });
    const answer = understand(raw);
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) keep(jar, line);
    done.push({ ask, raw, answer });
  }
  return done;
}

function keep(jar: Map<string, string> | undefined, line: string): void {
  const [pair = "", ...attributes] = line.split(";");
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals).trim();
  const expires = attributes.find((attribute) => /^\s*expires=/i.test(attribute))?.split("=")[1];
  if (expires !== undefined && Date.parse(expires) < Date.now()) jar?.delete(name);
  else jar?.set(name, pair.slice(equals + 1));
}

function understand({ status, headers, bytes }: RawAnswer): Answer {
  const byName: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const earlier = byName[name];
    if (name === "set-cookie") byName[name] = [...earlier ?? [], value];
    else byName[name] = earlier === undefined ? value : `${earlier}, ${value}`;
  }
  return { status, headers: byName, body: new TextDecoder().decode(inflate(bytes, byName["content-encoding"])) };
}

/**
 * Decodes a content coding.
 *
 * @param bytes The body
 * @param coding The `Content-Encoding` value
 */
export function inflate(bytes: Uint8Array, coding: string | string[] | undefined): Uint8Array {
  if (bytes.byteLength === 0) return bytes;
  if (coding === "gzip") return gunzipSync(bytes);
  if (coding === "br") return brotliDecompressSync(bytes);
  return coding === "deflate" ? inflateSync(bytes) : bytes;
}
