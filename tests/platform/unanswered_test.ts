import { assertEquals } from "@std/assert";
import { once } from "node:events";
import http2 from "node:http2";
import { text as readText } from "node:stream/consumers";
import { quietApp, serving } from "../support/app.ts";
import { until } from "../support/until.ts";

Deno.test("an answer to a client that has left is cancelled, and its source closed", async () => {
  const [arrived, left, go] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  let isClosed = false;
  const app = quietApp();
  app.get("/", (_req, res) => res.send("x"));
  app.get("/late", async (req, res) => {
    // Sluice is notified in the next turn; this runs in the turn after that
    req.request.signal.addEventListener("abort", () => setTimeout(() => setTimeout(left!.resolve, 0), 0));
    arrived!.resolve();
    await go!.promise;
    res.send(new ReadableStream({ cancel: () => void (isClosed = true) }));
  });
  await serving(app, async (origin) => {
    const leaving = new AbortController();
    const asked = fetch(`${origin}/late`, { signal: leaving.signal }).catch(() => {});
    await arrived!.promise;
    // it waits while many others arrive
    for (let i = 0; i < 600; i++) await (await fetch(origin)).body?.cancel();
    leaving.abort();
    await Promise.all([asked, left!.promise]);
    go!.resolve();
    await until(() => isClosed, "the source is closed");
  });
});

type Ask = (origin: string) => Promise<[status: number, text: string]>;

const ASKING: Readonly<Record<string, Ask>> = {
  async "HTTP/1.1"(origin) {
    const response = await fetch(origin, { headers: { "x-name": "a" } });
    return [response.status, await response.text()];
  },
  async "HTTP/2"(origin) {
    const session = http2.connect(origin);
    const stream = session.request({ "x-name": "a" });
    const [[head], text] = await Promise.all([once(stream, "response"), readText(stream)]);
    session.destroy();
    return [head[":status"], text];
  },
};

for (const [version, ask] of Object.entries(ASKING)) {
  Deno.test(`over ${version}, listeners of a request cut by a closing server can read its headers, however soon it was cut`, async () => {
    // the headers of a process's first request have been read in any case
    for (let i = 0; i < 2; i++) {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      const told: Promise<string | undefined>[] = [];
      const app = quietApp();
      app.get("/", (req, res) => {
        const read = (resolve: (name: string | undefined) => void) => () => resolve(req.get("x-name"));
        told.push(new Promise((resolve) => res.on("close", read(resolve))));
        told.push(new Promise((resolve) => req.signal.addEventListener("abort", read(resolve))));
        arrive();
      });
      const server = app.listen({ port: 0, hostname: "127.0.0.1" });
      const asked = ask(`http://127.0.0.1:${server.port}`);
      await arrived;
      await app.close({ timeoutMs: 0 });
      assertEquals([await asked, await Promise.all(told)], [[503, "Service Unavailable"], ["a", "a"]]);
    }
  });

  Deno.test(`over ${version}, a handler that goes on after its response can read the headers`, async () => {
    const { promise: answered, resolve: gotAnswer } = Promise.withResolvers<void>();
    const { promise: read, resolve: hear } = Promise.withResolvers<string | undefined>();
    const app = quietApp();
    app.get("/", async (req, res) => {
      res.send("sent");
      await answered;
      hear(req.get("x-name"));
    });
    await serving(app, async (origin) => {
      assertEquals(await ask(origin), [200, "sent"]);
      gotAnswer();
      assertEquals(await read, "a");
    });
  });
}
