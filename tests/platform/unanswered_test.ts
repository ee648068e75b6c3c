import { assertEquals } from "@std/assert";
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

Deno.test("a close listener of a request cut by a closing server can read its headers, however soon it was cut", async () => {
  // the headers of a process's first request have been read in any case
  for (let i = 0; i < 2; i++) {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const { promise: heard, resolve: hear } = Promise.withResolvers<string | undefined>();
    const app = quietApp();
    app.get("/", (req, res) => {
      res.on("close", () => hear(req.get("x-name")));
      arrive();
    });
    const server = app.listen({ port: 0, hostname: "127.0.0.1" });
    const asked = fetch(`http://127.0.0.1:${server.port}/`, { headers: { "x-name": "a" } });
    await arrived;
    await app.close({ timeoutMs: 0 });
    const response = await asked;
    assertEquals([response.status, await response.text(), await heard], [503, "Service Unavailable", "a"]);
  }
});
