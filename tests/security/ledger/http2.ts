import { assert } from "@std/assert";
import { until } from "../../support/until.ts";
import type { Theme } from "./flaw.ts";
import { FLAG, FRAME, headersOf, Http2Client, http2Frame } from "./http2_client.ts";
import { type LedgerServer, serves } from "./server.ts";

/** Opens a connection if the runtime supports HTTP/2, attacks it, and asserts that the server still responds. */
async function attacked(server: LedgerServer, attack: (client: Http2Client) => Promise<void>): Promise<void> {
  const port = server.http2Port!;
  {
    using client = await Http2Client.open(port);
    await attack(client);
  }
  await serves(server);
  using next = await Http2Client.open(port);
  await next.send(http2Frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, headersOf("/alive")));
  for (;;) {
    const frame = await next.next();
    assert(frame !== null, "the connection was closed");
    if (frame.type === FRAME.headers && frame.stream === 1) return;
  }
}

const lacks = { Bun: "supports HTTP/2 only with TLS" };

async function waitingIn({ origin }: LedgerServer): Promise<{ now: number; most: number }> {
  return await (await fetch(`${origin}/waiting`)).json();
}

/**
 * HTTP/2 without TLS: on Deno with `app.listen`, on Node with `http2.createServer(app)`. Bun supports it only with TLS.
 */
export const http2: Theme = {
  title: "HTTP/2",
  file: "http2.ts",
  flaws: [
    {
      identifiers: ["CVE-2023-44487"],
      package: "Node's http2 (nghttp2), and most servers",
      flaw: "Streams that were reset at once cost the client nothing but kept the server busy.",
      here:
        "1000 streams that are reset at once leave no handler behind; Deno ends the connection after 20, but does not " +
        "report a reset within 40 ms, so it keeps a handler that never responds",
      lacks,
      async attackServer(server) {
        // on Deno, a handler ends on its own
        const path = server.runtime === "Deno" ? "/works" : "/waits";
        await attacked(server, async (client) => {
          for (let i = 0; i < 1000; i += 100) {
            const frames = Array.from({ length: 100 }, (_, j) => 2 * (i + j) + 1).flatMap((stream) => [
              http2Frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, stream, headersOf(path)),
              http2Frame(FRAME.reset, 0, stream, [0, 0, 0, 8]),
            ]);
            // a server may close the connection
            if (!await client.send(...frames)) break;
          }
        });
        await until(async () => (await waitingIn(server)).now === 0, "no handler is left");
      },
    },
    {
      identifiers: ["CVE-2024-27983"],
      package: "Node's http2",
      flaw: "CONTINUATION frames of a broken connection crashed the process.",
      here: "endless CONTINUATION frames close the connection, and breaking it between them is harmless",
      lacks,
      async attackServer(server) {
        const filler = new Uint8Array(16_384);
        // one-character headers, never indexed
        for (let i = 0; i + 5 <= filler.length; i += 5) filler.set([0x10, 1, 97, 1, 98], i);
        const block = filler.subarray(0, filler.length - filler.length % 5);
        await attacked(server, async (client) => {
          await client.send(http2Frame(FRAME.headers, FLAG.endStream, 1, headersOf("/alive")));
          for (let i = 0; i < 100; i++) {
            if (!await client.send(http2Frame(FRAME.continuation, 0, 1, block))) break;
          }
          await client.goAway();
        });
        await attacked(server, async (client) => {
          await client.send(
            http2Frame(FRAME.headers, FLAG.endStream, 1, headersOf("/alive")),
            http2Frame(FRAME.continuation, 0, 1, block),
          );
        });
      },
    },
    {
      identifiers: ["CVE-2025-59465"],
      package: "Node's http2",
      flaw: "A malformed HEADERS frame caused an unhandled error, which crashed the process.",
      here: "malformed HPACK is a connection error, and the server keeps running",
      lacks,
      async attackServer(server) {
        for (
          const block of [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x00, 0x7f, 0xff, 0xff], [0x80], [
            0x3f,
            0xff,
            0xff,
            0xff,
            0x0f,
          ]]
        ) {
          await attacked(server, async (client) => {
            await client.send(http2Frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, block));
            const code = await client.goAway();
            // PROTOCOL_ERROR, INTERNAL_ERROR or COMPRESSION_ERROR
            assert(code === null || [1, 2, 9].includes(code), `GOAWAY ${code}`);
          });
        }
      },
    },
    {
      identifiers: ["CVE-2026-21714"],
      package: "Node's http2",
      flaw: "A WINDOW_UPDATE that overflowed the connection's window left the session in memory.",
      here: "a WINDOW_UPDATE that overflows the connection's window ends the connection",
      lacks,
      async attackServer(server) {
        await attacked(server, async (client) => {
          const update = http2Frame(FRAME.windowUpdate, 0, 0, [0x7f, 0xff, 0xff, 0xff]);
          await client.send(update, update);
          const code = await client.goAway();
          // INTERNAL_ERROR or FLOW_CONTROL_ERROR
          assert(code === null || code === 2 || code === 3, `GOAWAY ${code}`);
        });
      },
    },
  ],
};
