import { eventStream, jsonLines } from "./event_stream.ts";
import type { AnyResult } from "./result.ts";
import type { WireRoute } from "./wire.ts";

/**
 * Reads a response by its media type.
 *
 * @param response The response
 * @param wire How its route differs from the defaults
 * @returns The result; JSON, text and forms are complete, other bodies are still streaming
 * @throws {SyntaxError} If a JSON response is not valid JSON
 */
export async function readResponse(response: Response, wire: WireRoute): Promise<AnyResult> {
  const { ok, status, headers } = response;
  return { ok, status, data: await dataOf(response, wire), headers, response };
}

async function dataOf(response: Response, { jsonEvents }: WireRoute): Promise<unknown> {
  const { body, headers } = response;
  if (body === null || headers.get("content-length") === "0") return undefined;
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "application/json" || type.endsWith("+json")) {
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  }
  if (type === "text/event-stream") return eventStream(body, jsonEvents ? JSON.parse : String);
  if (LINES.has(type)) return jsonLines(body);
  if (type.startsWith("text/") || type.endsWith("+xml") || type === "application/xml") return await response.text();
  if (type === "multipart/form-data" || type === "application/x-www-form-urlencoded") return await response.formData();
  return body;
}

/** Media types for newline-delimited JSON. */
const LINES = new Set(["application/jsonl", "application/x-ndjson", "application/ndjson", "application/x-jsonlines"]);
