import { memoryOf, type Running } from "./process_figures.ts";
import { opened, type RawServer, readUntil, writeAll } from "./raw_client.ts";

/** Upload size in bytes. */
export const GIB: number = 2 ** 30;

/** An upload's result: the response, the bytes sent before it arrived, and the server's peak memory in MiB. */
export interface Uploaded {
  /** The response's head and body. */
  readonly answer: string;
  /** Bytes sent. */
  readonly sent: number;
  /** Peak memory in MiB. */
  readonly most: number;
}

/** Uploads 1 GiB, or as much as the server accepts; unless `onwards`, stops once it has responded. */
export async function uploaded(
  server: RawServer & Running,
  head: string,
  { onwards }: { onwards: boolean },
): Promise<Uploaded> {
  using client = await opened(server, head);
  const piece = " ".repeat(65_536);
  const bytes = new TextEncoder().encode(head.includes("chunked") ? `10000\r\n${piece}\r\n` : piece);
  let response: string | undefined;
  let sent = 0;
  let sentBefore = 0;
  let most = 0;
  const reading = (async () => {
    const seen = await readUntil(client, "\r\n\r\n");
    sentBefore = sent;
    response = seen.includes(" 200 ") && !seen.includes("not read") ? seen + await readUntil(client, "not read") : seen;
  })();
  reading.catch(() => {});
  const late = performance.now() + 20_000;
  try {
    while (sent < GIB && performance.now() < late && (onwards || response === undefined)) {
      await writeAll(client, bytes);
      sent += piece.length;
      // a write that does not wait never yields to the reader: the response would go unseen until the server slows down
      await new Promise((resolve) => setImmediate(resolve));
      if (sent % 2 ** 24 === 0) most = Math.max(most, memoryOf(server));
    }
  } catch {
    // the server accepts no more
  }
  await reading;
  return { answer: response!, sent: sentBefore, most };
}
