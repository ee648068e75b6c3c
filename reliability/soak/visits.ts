/** Clients for a soak test. Each visit checks its response, and throws if that is wrong. */
import { SocketClient } from "../../tests/contracts/socket_client.ts";
import type { Pick } from "../../tests/support/random.ts";
import { opened } from "../../tests/support/raw_client.ts";

/** A server, and a client's tools for a visit. */
export interface Visited {
  readonly origin: string;
  readonly pick: Pick;
  /** Sends a request over one of the connections that clients keep between visits. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** One client's visit to a server. */
export type Visit = (visited: Visited) => Promise<void>;

function expect(seen: unknown, wanted: unknown): void {
  if (seen !== wanted) throw new Error(`${String(seen).slice(0, 200)} instead of ${String(wanted).slice(0, 200)}`);
}

/** All visits by name. Those that disconnect only check that the server continues. */
export const VISITS: Readonly<Record<string, Visit>> = {
  async read({ pick, fetch }) {
    const [id, part] = [pick(1_000_000), pick(1_000_000)];
    const response = await fetch(`/users/${id}/${part}?x=${id}`);
    const { query, ...params } = await response.json();
    expect(`${params.id} ${params.part} ${query.x}`, `${id} ${part} ${id}`);
  },
  async json({ pick, fetch }) {
    const body = JSON.stringify({ id: pick(1e9), text: "x".repeat(pick(3000)) });
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    expect(await (await fetch(`/json`, init)).text(), body);
  },
  async upload({ pick, fetch }) {
    const body = new Uint8Array(1 + pick(200_000));
    expect(await (await fetch(`/upload`, { method: "POST", body })).json(), body.length);
  },
  async download({ pick, fetch }) {
    const length = pick(200_000);
    expect((await (await fetch(`/download/${length}`)).arrayBuffer()).byteLength, length);
  },
  async stream({ pick, fetch }) {
    const pieces = 1 + pick(8);
    expect((await (await fetch(`/stream/${pieces}`)).text()).split("\n").length, pieces + 1);
  },
  async socket({ origin, pick }) {
    await using socket = new SocketClient(origin, "/echo");
    for (let i = pick(5); i >= 0; i--) {
      const text = `message ${pick(1e9)}`;
      expect(await socket.say(text), text);
    }
  },
  async leaveDownload({ origin }) {
    using connection = await openedAt(origin, "GET /download/200000 HTTP/1.1\r\nHost: x\r\n\r\n");
    await connection.read(new Uint8Array(1000));
  },
  async leaveStream({ origin }) {
    using connection = await openedAt(origin, "GET /stream/50 HTTP/1.1\r\nHost: x\r\n\r\n");
    await connection.read(new Uint8Array(10));
  },
  async leaveUpload({ origin }) {
    using _ = await openedAt(origin, "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\nstart");
  },
};

function openedAt(origin: string, text: string): Promise<Deno.TcpConn> {
  return opened({ port: Number(new URL(origin).port) }, text);
}
