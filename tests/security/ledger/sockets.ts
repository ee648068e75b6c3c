import { assert, assertEquals } from "@std/assert";
import { frame, OPCODE } from "../../contracts/frame.ts";
import { RawSocket } from "../../contracts/raw_socket.ts";
import { HANDSHAKE, opened, readUntil } from "../../support/raw_client.ts";
import type { Theme } from "./flaw.ts";
import { quickly } from "./quickly.ts";
import { headOf, type LedgerServer, received, serves, statusOf } from "./server.ts";

/** Asserts that the server closes a connection after a frame, and still serves other connections. */
async function closesAfter(server: LedgerServer, bytes: Uint8Array): Promise<void> {
  using socket = await RawSocket.open(server.origin, "/socket");
  assertEquals(socket.status, 101);
  await socket.write(bytes);
  for (let next = await socket.next(); next !== null; next = await socket.next()) {
    assertEquals(next.opcode, OPCODE.close);
  }
  await serves(server);
}

/** Asserts that a message comes back. */
async function echoes(socket: RawSocket): Promise<void> {
  await socket.send(OPCODE.text, "hello");
  assertEquals(await socket.text(), "got 5");
}

/** WebSockets. */
export const sockets: Theme = {
  title: "WebSockets",
  file: "sockets.ts",
  flaws: [
    {
      identifiers: ["CVE-2024-37890", "GHSA-3h5v-q93c-6h6q"],
      package: "ws",
      flaw: "A handshake with more headers than `maxHeadersCount` crashed the process.",
      here: "a handshake with 2000 headers or more is refused or accepted, and the server keeps running",
      async attackServer(server) {
        for (const count of [1990, 2000, 2100]) {
          const lines = [...Array(count).fill("a:"), ...HANDSHAKE.filter((line) => !line.startsWith("Upgrade:"))];
          const text = await received(server, headOf("GET /socket HTTP/1.1", "Host: x", ...lines, "Connection: close"));
          assert(statusOf(text) >= 400, text);
          await serves(server);
        }
      },
    },
    {
      identifiers: ["CVE-2021-32640"],
      package: "ws",
      flaw: "Spaces in Sec-WebSocket-Protocol took quadratic time.",
      here: "14 kB of spaces and commas in Sec-WebSocket-Protocol are parsed quickly",
      async attackServer(server) {
        const lines = HANDSHAKE.concat(`Sec-WebSocket-Protocol: b${" ".repeat(7000)}x, ${",".repeat(7000)}c`);
        using connection = await opened(server, headOf("GET /socket HTTP/1.1", "Host: x", ...lines));
        const head = await quickly(() => readUntil(connection, "\r\n\r\n"));
        assert([101, 400].includes(statusOf(head)), head);
        await serves(server);
      },
    },
    {
      identifiers: ["CVE-2026-2229"],
      package: "undici",
      flaw: "A permessage-deflate window that zlib does not support threw an exception outside of the connection.",
      here: "a permessage-deflate offer with an impossible window is harmless",
      async attackServer(server) {
        for (const bits of ["999", "0", "-1", "7", "x", '"15"']) {
          const offer = `permessage-deflate; server_max_window_bits=${bits}; client_max_window_bits=${bits}`;
          using socket = await RawSocket.open(server.origin, "/socket", { "Sec-WebSocket-Extensions": offer });
          assertEquals(socket.status, 101);
          await echoes(socket);
        }
      },
    },
    {
      identifiers: ["CVE-2026-1526", "GHSA-vrm6-8vpv-qv8q"],
      package: "undici",
      flaw: "A small compressed message could expand without limit.",
      here: "compression is not negotiated, and a compressed message closes the connection",
      async attackServer(server) {
        const offer = { "Sec-WebSocket-Extensions": "permessage-deflate" };
        using socket = await RawSocket.open(server.origin, "/socket", offer);
        assertEquals(socket.header("sec-websocket-extensions"), []);
        const bytes = frame(OPCODE.text, "abc");
        bytes[0]! |= 0x40;
        await closesAfter(server, bytes);
      },
    },
    {
      identifiers: ["CVE-2026-1528"],
      package: "undici",
      flaw: "A frame with a 64-bit length overflowed, which crashed the process.",
      here: "a frame that announces more than the maximum message size closes the connection",
      async attackServer(server) {
        for (const top of [0x00, 0x01, 0x7f, 0x80, 0xff]) {
          const head = new Uint8Array([0x82, 0xff, top, ...Array(7).fill(top === 0 ? 0x10 : 0xff), 1, 2, 3, 4]);
          await closesAfter(server, head);
        }
      },
    },
  ],
};
