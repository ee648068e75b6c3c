/** Misbehaving clients, on every runtime with its own server: no hangs, no leaks, and the process survives. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { FAULT_SUBJECTS, type FaultServer, startFaultServer } from "../support/fault_servers.ts";
import { allowDescriptors, descriptors, memoryOf } from "../support/process_figures.ts";
import {
  ask,
  flag,
  HANDSHAKE,
  opened,
  openedMany,
  readUntil,
  requestHead,
  writeAll,
  writeText,
} from "../support/raw_client.ts";
import { until } from "../support/until.ts";
import { GIB, uploaded } from "../support/raw_upload.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const IDLE = 5000;

/** Deno's own warning about `request.signal`, once per process. */
const DENO_REMARK = /^Deno\.serve: request\.signal aborts on successful responses.*\n/;

type Fault = (server: FaultServer) => Promise<void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  async "a client that vanishes in mid-upload fails only the reader"(server) {
    for (const reader of ["web", "parsed", "iterated"]) {
      for (const framing of ["Content-Length: 100000", "Transfer-Encoding: chunked"]) {
        for (const leave of ["close", "closeWrite"] as const) {
          const name = `${reader}-${framing.slice(0, 7)}-${leave}`;
          const piece = "x".repeat(1000);
          const body = framing.startsWith("T") ? `3e8\r\n${piece}\r\n` : piece;
          const head = `POST /upload/${reader}?flag=${name} HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`;
          const client = await opened(server, head + body);
          await until(async () => await flag(server, `${name}-read`) === 1000, `${name} is read`);
          await client[leave]();
          await until(async () => await flag(server, `${name}-failed`) === 1, `${name} fails`);
          assertEquals(await flag(server, `${name}-complete`), 0);
          // Node's error code, except when the web stream is read
          if (reader !== "web") assertEquals(await flag(server, `${name}-ECONNRESET`), 1);
          if (leave === "closeWrite") client.close();
        }
      }
    }
  },

  async "a client that vanishes in mid-stream cancels the stream, or closes res"(server) {
    for (const [path, told] of [["web", "cancelled"], ["written", "closed"]]) {
      const client = await opened(server, `GET /stream/${path}?flag=${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await readUntil(client, "\r\n\r\n");
      client.close();
      await until(async () => await flag(server, `${path}-${told}`) === 1, `${path} is ${told}`);
    }
  },

  async "a client that vanishes while its handler waits aborts req.signal and closes res"(server) {
    const client = await opened(server, "GET /waiting/noticed?flag=one HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(async () => await flag(server, "one-arrived") === 1, "it has arrived");
    client.close();
    await until(async () => await flag(server, "one-aborted") === 1, "it is aborted");
    await until(async () => await flag(server, "one-closed") === 1, "it is closed");
  },

  async "clients that leave while their handshakes are pending leave nothing behind"(server) {
    await until(() => descriptors(server) <= server.idle + 2, "earlier connections are gone");
    const handshake = requestHead("GET /waiting?flag=socket", HANDSHAKE);
    const clients = await openedMany(server, 50, () => opened(server, handshake));
    await until(async () => await flag(server, "socket-arrived") === 50, "all have arrived");
    for (const client of clients) client.close();
    assertEquals(await ask(server, "/release"), "released");
    await until(() => descriptors(server) <= server.idle + 2, "all are released");
  },

  async "two thousand handlers that never answer are released after their clients have left"(server) {
    for (const path of ["waiting/noticed", "waiting"]) {
      await until(() => descriptors(server) <= server.idle + 2, "earlier connections are gone");
      const name = `many-${path.length}`;
      const request = `GET /${path}?flag=${name} HTTP/1.1\r\nHost: x\r\n\r\n`;
      const clients = await openedMany(server, 2000, () => opened(server, request));
      await until(async () => await flag(server, `${name}-arrived`) === 2000, "all have arrived");
      assert(descriptors(server) >= server.idle + 2000);
      for (const client of clients) client.close();
      await until(async () => {
        // requests are released while others arrive if their handlers read nothing
        if (path === "waiting") await askMany(server, 600);
        return descriptors(server) <= server.idle + 2;
      }, "all are released");
    }
  },

  async "a partly read body does not block the next request on its connection"(server) {
    for (const way of ["read", "unpiped", "failed", "passed"]) {
      using client = await opened(server, `POST /begun/${way} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`);
      const rest = new Uint8Array([...new Uint8Array(1e6), ...requestHead("GET /", [])]);
      const [, responses] = await Promise.all([writeAll(client, rest), readUntil(client, "home")]);
      assertMatch(responses, /^HTTP\/1\.1 (?:200 [^]*read in part|400 [^]*enough|404 [^]*Cannot POST)/);
    }
  },

  async "a body above the limit is refused before it has arrived"(server) {
    for (const framing of [`Content-Length: ${GIB}`, "Transfer-Encoding: chunked"]) {
      const head = `POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
      const { answer, sent } = await uploaded(server, head, { onwards: false });
      assertMatch(answer, /^HTTP\/1\.1 413 /);
      assert(sent < GIB / 8, `${sent} bytes were taken before the answer`);
      assertEquals(await ask(server, "/"), "home");
    }
  },

  async "a client that reads nothing before all is sent is told that it was too much, on a connection to be closed"(
    server,
  ) {
    const size = 20_000_000;
    const body = new Uint8Array(size).fill(97);
    for (const isChunked of [false, true]) {
      const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${size}`;
      const headers = ["Connection: close", "Content-Type: application/json", framing];
      using client = await opened(server, requestHead("POST /json", headers));
      if (isChunked) await writeText(client, `${size.toString(16)}\r\n`);
      await writeAll(client, body);
      if (isChunked) await writeText(client, "\r\n0\r\n\r\n");
      assertMatch(await readUntil(client, "\r\n\r\n"), /^HTTP\/1\.1 413 /);
    }
  },
};

/** Slow faults that concern only the server. */
const SERVER_FAULTS: Readonly<Record<string, Fault>> = {
  async "an unread upload of 1 GiB is answered, and takes no memory"(server) {
    const before = memoryOf(server);
    const head = `POST /ignored HTTP/1.1\r\nHost: x\r\nContent-Length: ${GIB}\r\n\r\n`;
    const { answer, most } = await uploaded(server, head, { onwards: true });
    assertMatch(answer, /^HTTP\/1\.1 200 [^]*not read/);
    assert(most - before < 100, `${most - before} MiB more`);
    assertEquals(await ask(server, "/"), "home");
  },

  async "five thousand idle connections block no other client, and leave nothing behind"(server) {
    await Promise.all([server.pid, Deno.pid].map((pid) => allowDescriptors(pid, IDLE + 1000)));
    await until(() => descriptors(server) <= server.idle + 2, "earlier connections are gone");
    const idle = await openedMany(server, IDLE, async () => {
      const client = await opened(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      await readUntil(client, "home");
      return client;
    });
    assert(descriptors(server) >= server.idle + IDLE);
    const start = performance.now();
    for (let i = 0; i < 100; i++) assertEquals(await ask(server, "/"), "home");
    assert(performance.now() - start < PATIENCE_MS);
    for (const client of idle) client.close();
    await until(() => descriptors(server) <= server.idle + 2, "the descriptors are free");
  },

  async "a thousand connections that never end their headers block no other client"(server) {
    await until(() => descriptors(server) <= server.idle + 2, "earlier connections are gone");
    const slow = await openedMany(server, 1000, () => opened(server, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "));
    for (let i = 0; i < 20; i++) assertEquals(await ask(server, "/"), "home");
    for (const client of slow) client.close();
    await until(() => descriptors(server) <= server.idle + 2, "the descriptors are free");
  },
};

async function askMany(server: FaultServer, count: number): Promise<void> {
  const together = 20;
  for (let i = 0; i < count; i += together) {
    await Promise.all(Array.from({ length: together }, () => ask(server, "/")));
  }
}

for (const subject of FAULT_SUBJECTS) {
  const ignore = subject.runtime.missing || Deno.build.os !== "linux";
  Deno.test(`misbehaving clients, on ${subject.name}`, { ignore }, async (t) => {
    const server = await startFaultServer(subject);
    let errors: string;
    try {
      assertEquals(await ask(server, "/"), "home");
      // app.fetch runs on the same server, with fewer settings
      const faults = subject.fixture === "served" ? FAULTS : { ...FAULTS, ...SERVER_FAULTS };
      for (const [name, fault] of Object.entries(faults)) await t.step(name, () => fault(server));
      await t.step("it still answers", async () => assertEquals(await ask(server, "/"), "home"));
    } finally {
      errors = await server.stop();
    }
    assertEquals(errors.replace(DENO_REMARK, ""), "", "none of this is logged");
  });
}
