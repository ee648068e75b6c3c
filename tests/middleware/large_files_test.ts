import { assert, assertEquals } from "@std/assert";
import { adaptiveConcurrency } from "@sluice/rate-limit";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { ask, quietApp, serving } from "../support/app.ts";
import { type Any, serveBoth } from "../support/sluice_and_express.ts";
import { until } from "../support/until.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** More than a connection buffers: a client that does not read stops the transfer. */
const ENDLESS = 256 * MIB;

/** Passes a file to a test and removes it; neighboring bytes differ, except in an `ENDLESS` file. */
async function withFile(bytes: number, test: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".bin" });
  try {
    if (bytes < ENDLESS) await Deno.writeFile(path, content(0, bytes));
    else await Deno.truncate(path, bytes);
    await test(path);
  } finally {
    await Deno.remove(path);
  }
}

function content(start: number, end: number): Uint8Array {
  return Uint8Array.from({ length: end - start }, (_, i) => (start + i) * 31 + ((start + i) >> 8) & 0xff);
}

/** Requests a file and stops reading after the first bytes of the response. */
async function readABit(origin: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) });
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
  await connection.read(new Uint8Array(1000));
  return connection;
}

/** Reads until the server ends the connection. */
async function drain(connection: Deno.TcpConn): Promise<number> {
  let bytes = 0;
  const buffer = new Uint8Array(MIB);
  try {
    for (;;) {
      const read = await connection.read(buffer);
      if (read === null) return bytes;
      bytes += read;
    }
  } catch {
    // a connection that is cut off may be reset
    return bytes;
  } finally {
    connection.close();
  }
}

for (const bytes of [1, 64 * KIB, 64 * KIB + 1, MIB, MIB + 1, 3 * MIB + 7]) {
  Deno.test(`a file of ${bytes} bytes arrives whole, in parts, and as a HEAD`, () =>
    withFile(bytes, async (path) => {
      const app = quietApp();
      const ended: unknown[] = [];
      app.get("/", (_req, res) => res.sendFile(path, (error) => ended.push(error)));
      await serving(app, async (origin) => {
        const whole = await fetch(origin);
        assertEquals(whole.headers.get("content-length"), String(bytes));
        assertEquals(await whole.bytes(), content(0, bytes));

        const end = bytes - 1;
        for (const [start, last] of [[0, end], [end >> 1, end], [end >> 2, (end >> 2) + 70 * KIB]] as const) {
          const part = await fetch(origin, { headers: { range: `bytes=${start}-${last}` } });
          assertEquals(part.status, 206);
          assertEquals(part.headers.get("content-range"), `bytes ${start}-${Math.min(last, end)}/${bytes}`);
          assertEquals(await part.bytes(), content(start, Math.min(last, end) + 1));
        }

        const head = await fetch(origin, { method: "HEAD" });
        assertEquals(head.headers.get("content-length"), String(bytes));
        assertEquals(await head.text(), "");
      });
      assertEquals(ended, [undefined, undefined, undefined, undefined, undefined]);
    }));
}

Deno.test("a file that was sent before may have changed in every way, and is closed whatever the answer is", () =>
  withFile(300 * KIB, async (path) => {
    const app = quietApp();
    let failing = false;
    app.use(failingFor(path, () => failing));
    const become = async (bytes: number) => {
      await Deno.writeFile(`${path}.new`, content(0, bytes));
      await Deno.rename(`${path}.new`, path);
    };
    const name = path.slice(path.lastIndexOf("/"));
    await serving(app, async (origin) => {
      const get = (headers: Record<string, string> = {}, method = "GET") => fetch(origin + name, { method, headers });
      const assertSent = async (bytes: number) => {
        for (let i = 0; i < 3; i++) {
          const response = await get();
          assertEquals(response.headers.get("content-length"), String(bytes));
          assertEquals(await response.bytes(), content(0, bytes));
        }
      };
      const statusOf = async (headers: Record<string, string>, method?: string) => {
        const response = await get(headers, method);
        await response.body?.cancel();
        return response.status;
      };
      await assertSent(300 * KIB);
      const before = await get();
      await before.body?.cancel();
      const etag = before.headers.get("etag")!;
      assertEquals(await statusOf({}, "HEAD"), 200);
      assertEquals(await statusOf({ "if-none-match": etag }), 304);
      assertEquals(await statusOf({ "if-match": '"another"' }), 412);
      assertEquals(await statusOf({ range: "bytes=1-2" }), 206);
      assertEquals(await statusOf({ range: `bytes=${MIB}-` }), 416);
      failing = true;
      assertEquals(await statusOf({}), 500);
      failing = false;
      const asFolder = await fetch(`${origin}${name}/`);
      await asFolder.body?.cancel();
      assertEquals(asFolder.status, 404);
      await untilClosed(path);

      for (const bytes of [200 * KIB, 10, 300 * KIB, MIB + 1, 100 * KIB]) {
        await become(bytes);
        assertEquals(await statusOf({ "if-none-match": etag }), 200);
        await assertSent(bytes);
      }
      await Deno.remove(path);
      assertEquals(await statusOf({}), 404);
      await become(100 * KIB);
      await assertSent(100 * KIB);
      await Deno.remove(path);
      await Deno.mkdir(path);
      assertEquals(new URL((await get()).url).pathname, `${name}/`);
      await Deno.remove(path);
      await become(100 * KIB);
      await assertSent(100 * KIB);
    });
    await untilClosed(path);
  }));

/** Serves a file's folder, and fails on demand once the file is found. */
function failingFor(path: string, fails: () => boolean): ReturnType<typeof sluice.static> {
  return sluice.static(path.slice(0, path.lastIndexOf("/")), {
    index: false,
    setHeaders() {
      if (fails()) throw new Error("no headers today");
    },
  });
}

Deno.test("a client that leaves in the middle of a large file is reported as ECONNABORTED, and the file is closed", () =>
  withFile(ENDLESS, async (path) => {
    const app = quietApp();
    const { promise, resolve } = Promise.withResolvers<unknown[]>();
    app.get("/", (_req, res) => {
      const events: unknown[] = [];
      res.on("finish", () => events.push("finish"));
      res.sendFile(path, (error) => resolve([...events, error?.code]));
    });
    await serving(app, async (origin) => {
      (await readABit(origin)).close();
      assertEquals(await promise, ["ECONNABORTED"]);
    });
    await untilClosed(path);
  }));

Deno.test("a response has not ended if its client leaves in the middle of a large file, as in Express", () =>
  withFile(ENDLESS, async (path) => {
    const closed: Promise<unknown>[] = [];
    const [ours, theirs] = await serveBoth((app) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      closed.push(promise);
      app.get("/", (_req: Any, res: Any) => {
        res.on("close", () => resolve([res.headersSent, res.writableEnded, res.finished, res.writableFinished]));
        res.sendFile(path, () => {});
      });
    }, async (origin) => {
      (await readABit(origin)).close();
      return await closed.shift();
    });
    assertEquals(ours, theirs);
    assertEquals(ours, [true, false, false, false]);
  }));

Deno.test("a file that becomes shorter while it is sent is broken off, and that is reported", () =>
  withFile(ENDLESS, async (path) => {
    const app = quietApp();
    const { promise: told, resolve } = Promise.withResolvers<unknown[]>();
    app.get("/", (_req, res) => res.sendFile(path, (error) => resolve([error?.code, res.writableFinished])));
    await serving(app, async (origin) => {
      const connection = await readABit(origin);
      await Deno.truncate(path, MIB);
      assert(await drain(connection) < ENDLESS);
      assertEquals(await told, ["ECONNABORTED", false]);
    });
    await untilClosed(path);
  }));

Deno.test("a large file counts as sent once its last byte is read, even if the client leaves right after", () =>
  withFile(2 * MIB, async (path) => {
    const app = quietApp();
    const { promise: told, resolve } = Promise.withResolvers<unknown>();
    app.get("/", (_req, res) => res.sendFile(path, (error) => resolve([error, res.writableFinished])));
    const leaving = new AbortController();
    const { body } = await ask(app, "/", { signal: leaving.signal });
    const reader = body!.getReader();
    for (let read = 0; read < 2 * MIB;) read += (await reader.read()).value!.length;
    leaving.abort();
    assertEquals(await told, [undefined, true]);
    await untilClosed(path);
  }));

for (const [size, bytes] of [["small", KIB], ["large", 2 * MIB]] as const) {
  Deno.test(`a client that leaves while a ${size} file is opened leaves no request in progress`, () =>
    withFile(bytes, async (path) => {
      const limit = adaptiveConcurrency();
      const app = quietApp().use(limit);
      const leaving = new AbortController();
      const headers = {
        get "X-Read"() {
          leaving.abort();
          return "last";
        },
      };
      const { promise: told, resolve } = Promise.withResolvers<unknown>();
      app.get("/", (_req, res) => res.sendFile(path, { headers }, (error) => resolve(error?.code)));
      await ask(app, "/", { signal: leaving.signal }).catch(() => {});
      assertEquals([await told, limit.figures.inFlight], ["ECONNABORTED", 0]);
      await untilClosed(path);
    }));
}

Deno.test("res.destroy() and the deadline of app.close() cut a large file", () =>
  withFile(ENDLESS, async (path) => {
    for (const how of ["destroy", "close"] as const) {
      const app = quietApp();
      const { promise: begun, resolve } = Promise.withResolvers<() => unknown>();
      app.get("/", (_req, res) => {
        res.sendFile(path);
        resolve(how === "destroy" ? () => res.destroy() : () => app.close({ timeoutMs: 0 }));
      });
      await serving(app, async (origin) => {
        const connection = await readABit(origin);
        const cut = (await begun)();
        assert(await drain(connection) < ENDLESS);
        await cut;
      });
    }
    await untilClosed(path);
  }));

Deno.test("a middleware that replaced write sees every piece of a file", () =>
  withFile(300 * KIB, async (path) => {
    const app = quietApp();
    let seen = 0;
    app.use((_req, res, next) => {
      const { write } = res;
      res.write = function (chunk: Uint8Array) {
        seen += chunk.byteLength;
        return write.call(res, chunk);
      };
      next();
    });
    app.get("/", (_req, res) => res.sendFile(path));
    assertEquals(await (await ask(app, "/")).bytes(), content(0, 300 * KIB));
    assertEquals(seen, 300 * KIB);
  }));

Deno.test("a file for an answer without a body is closed", () =>
  withFile(300 * KIB, async (path) => {
    const app = quietApp();
    app.get("/", (_req, res) => res.status(204).sendFile(path));
    const response = await ask(app, "/");
    assertEquals([response.status, response.body], [204, null]);
    await untilClosed(path);
  }));

Deno.test("a client that keeps up gets larger and larger pieces, and a slow one small pieces", () =>
  withFile(4 * MIB, async (path) => {
    const { now } = Date;
    let time = 1;
    const sizes: number[] = [];
    Date.now = () => time;
    try {
      const pieces = await chunksOf(path);
      for (const pause of [0, 0, 5, 5, 5, 100, 5]) {
        time += pause;
        sizes.push((await pieces.read()).value!.length / KIB);
      }
      await pieces.cancel();
    } finally {
      Date.now = now;
    }
    assertEquals(sizes, [64, 128, 256, 512, 512, 64, 128]);
  }));

async function chunksOf(path: string): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const app: FrameworkApp = quietApp();
  app.get("/", (_req, res) => res.sendFile(path));
  return (await ask(app, "/")).body!.getReader();
}

/** Waits until none of this process's descriptors refers to the file. */
async function untilClosed(path: string): Promise<void> {
  if (Deno.build.os === "linux") await until(() => !isOpen(path), "the file is closed");
}

function isOpen(path: string): boolean {
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    try {
      if (Deno.readLinkSync(`/proc/self/fd/${name}`) === path) return true;
    } catch {
      // it has been closed since
    }
  }
  return false;
}
