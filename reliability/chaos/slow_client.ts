/** Requests from slow clients and from honest ones. */
import { writeAll } from "../../tests/support/raw_client.ts";

const ZEROS = new Uint8Array(64 * 1024);

/** The head for a POST with a JSON body. */
export function head(path: string, length: number): Uint8Array {
  const type = ["Content-Type: application/json", `Content-Length: ${length}`, "Connection: close"];
  return new TextEncoder().encode([`POST ${path} HTTP/1.1`, "Host: localhost", ...type, "", ""].join("\r\n"));
}

/** Writes this many zero bytes. */
export async function zeros(connection: Deno.Conn, count: number): Promise<void> {
  for (let left = count; left > 0; left -= ZEROS.length) {
    await writeAll(connection, ZEROS.subarray(0, Math.min(left, ZEROS.length)));
  }
}
