/** Slow or idle clients, on every runtime with its own server: tests each `app.listen` limit. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { BUN, DENO, type FaultRuntime, NODE } from "../support/fault_servers.ts";
import { FILE_BYTES, type LimitedServer, startLimited } from "../support/limited_servers.ts";
import { descriptors, settledDescriptors } from "../support/process_figures.ts";
import { ask, flag, opened, readUntil, untilClosed } from "../support/raw_client.ts";
import { until } from "../support/until.ts";

/** Ways to send more than a client reads. */
const SENT = ["file", "written", "piped", "web", "events"] as const;

const SUBJECTS: readonly [FaultRuntime, string][] = [[DENO, "listen"], [BUN, "listen"], [NODE, "on_node"]];

/** A test with the program listening under some limits. */
function onRuntime(
  [runtime, fixture]: readonly [FaultRuntime, string],
  name: string,
  limits: Record<string, number>,
  test: (server: LimitedServer) => Promise<void>,
): void {
  Deno.test(`on ${runtime.name}, ${name}`, { ignore: runtime.missing }, async () => {
    await using server = await startLimited(runtime, fixture, limits);
    await test(server);
  });
}

/** Bun has a fixed limit for heads. */
const headLimit = (runtime: FaultRuntime) => runtime === NODE ? { headersTimeout: 1000 } : {};

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

for (const subject of SUBJECTS) {
  onRuntime(
    subject,
    "a client that takes nothing of an answer is cut, and its handler is told",
    { sendTimeout: 300 },
    async (server) => {
      const clients = await Promise.all(SENT.map((name) => opened(server, get(`/sent/${name}`))));
      for (const name of SENT) await until(async () => await flag(server, `${name}-cut`) === 1, `${name} is cut`);
      for (const name of SENT) assertEquals(await flag(server, `${name}-finished`), 0);
      for (const client of clients) client.close();
      assertEquals(await ask(server, "/"), "home");
    },
  );

  onRuntime(
    subject,
    "a client that is slow, but takes something all the time, gets all of an answer",
    { sendTimeout: 5000 },
    async (server) => {
      using client = await opened(server, get("/sent/file"));
      const piece = new Uint8Array(128 * 1024);
      const start = performance.now();
      let length = 0;
      let waited = 0;
      while (length < FILE_BYTES) {
        const ms = performance.now() - start;
        // 20 MB per second for twice the limit, then as fast as possible
        if (ms < 10_000 && length > ms * 20_000) waited += (await ask(server, "/")).length;
        else length += await client.read(piece) ?? FILE_BYTES;
      }
      assert(waited > 0, "it was never ahead");
      assert(length >= FILE_BYTES && length < FILE_BYTES + 100_000, `${length} bytes arrived`);
      assertEquals([await flag(server, "file-finished"), await flag(server, "file-cut")], [1, 0]);
    },
  );

  onRuntime(subject, "quiet streams and waiting handlers are not cut", {
    sendTimeout: 100,
    ...subject[0] === DENO ? {} : { ...headLimit(subject[0]), keepAliveTimeout: 1000 },
  }, async (server) => {
    const names = ["quiet", "quiet-returned", "waiting"];
    const clients = await Promise.all(names.map((name) => opened(server, get(`/sent/${name}`))));
    await Promise.all(clients.slice(0, 2).map((client) => readUntil(client, "data: two")));
    // long enough to cut off clients that never end their head or never read
    const stalled = await opened(server, get("/sent/written"));
    await until(async () => await flag(server, "written-cut") === 1, "it is cut");
    stalled.close();
    if (subject[0] !== DENO) await untilClosed(await opened(server, "GET / HT"));
    for (const name of names) {
      assertEquals([await flag(server, `${name}-begun`), await flag(server, `${name}-cut`)], [1, 0], name);
    }
    for (const client of clients) client.close();
    await until(async () => await flag(server, "quiet-cut") === 1, "it is noticed when they leave");
  });
}

for (const subject of SUBJECTS.slice(1)) {
  onRuntime(
    subject,
    "a connection whose head does not come is closed, and so is one that is idle after an answer",
    { ...headLimit(subject[0]), keepAliveTimeout: 1000 },
    async (server) => {
      const silent = await opened(server, "");
      const half = await opened(server, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
      const idle = await opened(server, get("/"));
      assertMatch(await untilClosed(idle), /^HTTP\/1\.1 200 [^]*home$/);
      // Node sends the reason
      assertMatch(await untilClosed(half), subject[0] === NODE ? /^HTTP\/1\.1 408 / : /^$/);
      await untilClosed(silent);
      assertEquals(await ask(server, "/"), "home");
    },
  );
}

for (const subject of SUBJECTS.slice(1)) {
  onRuntime(
    subject,
    "the connection of a client that takes nothing is closed, also when the answer is a whole one",
    { sendTimeout: 1000, keepAliveTimeout: 1000 },
    async (server) => {
      await ask(server, "/");
      const before = await settledDescriptors(server);
      // Bun reports nothing about the body of a returned Response
      for (const name of subject[0] === NODE ? ["whole", "written", "returned"] : ["whole", "written"]) {
        const client = await opened(server, get(`/sent/${name}`));
        await until(async () => await flag(server, `${name}-begun`) === 1, "it has arrived");
        assert(descriptors(server) > before, "it is open");
        await until(() => descriptors(server) <= before, "it is closed");
        client.close();
      }
    },
  );
}
