/** Clients that disconnect before a handler responds, for every way in which it may still respond. */
import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { rateLimit } from "@sluice/rate-limit";

// deno-lint-ignore no-explicit-any -- Sluice and Express, which has no types here
type Any = any;

/** A way to respond. */
export type Way = (req: Any, res: Any, next: (error?: unknown) => void) => unknown;

const FILE = `${process.cwd()}/README.md`;

/** Ways that exist in Express. */
export const WAYS: Readonly<Record<string, Way>> = {
  send: (_req, res) => res.send("text"),
  json: (_req, res) => res.json({}),
  status: (_req, res) => res.sendStatus(204),
  redirect: (_req, res) => res.redirect("/elsewhere"),
  written: (_req, res) => {
    res.write("two ");
    res.end("parts");
  },
  head: (_req, res) => res.writeHead(200).end(),
  file: (_req, res) => res.sendFile(FILE),
  download: (_req, res) => res.download(FILE),
  piped: (_req, res) => Readable.from(["two ", "parts"]).pipe(res),
  destroyed: (_req, res) => res.destroy(),
  thrown: () => {
    throw new Error("on purpose");
  },
  failed: (_req, _res, next) => next(new Error("on purpose")),
  nowhere: (_req, _res, next) => next(),
  pipedBefore: (_req, res) => new Readable({ read() {} }).pipe(res),
};

/** Ways that exist only in Sluice. */
export const OWN_WAYS: Readonly<Record<string, Way>> = {
  response: () => new Response("text"),
  empty: () => new Response(null, { status: 204 }),
  stream: () => new Response(new Blob(["text"]).stream()),
  endless: () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10)) })),
};

/**
 * Disconnects one client for each way.
 *
 * @param app An application
 * @param ways The ways
 * @returns By name: tokens left out of 1000 after an estimate of 20 and a use of 5, and whether the slot was freed
 */
export async function departures(app: Any, ways: Readonly<Record<string, Way>>): Promise<Record<string, unknown>> {
  const keyGenerator = (req: Any) => req.path as string;
  const tokens = rateLimit({
    ...{ limit: 1000, maxDebt: 0, cost: 20, windowMs: 3_600_000, keyGenerator },
    costAfter: (_req, res) => res.locals["tokens"],
  });
  const slots = rateLimit({ algorithm: "concurrency", limit: 1, windowMs: 3_600_000, keyGenerator });
  let begun = (): void => {};
  let ended = (): void => {};
  app.set("env", "test").use(tokens, slots);
  for (const [name, way] of Object.entries(ways)) {
    app.get(`/${name}`, async (req: Any, res: Any, next: () => void) => {
      const isEarly = name === "pipedBefore";
      if (isEarly) way(req, res, next);
      begun();
      await new Promise<void>((resolve) => res.on("close", resolve));
      res.locals["tokens"] = 5;
      setTimeout(() => ended());
      if (!isEarly) return await way(req, res, next);
    });
  }
  const server = app.listen(0, "127.0.0.1");
  if (!server.listening) await once(server, "listening");
  const seen: Record<string, unknown> = {};
  for (const name of Object.keys(ways)) {
    const client = connect(server.address().port, "127.0.0.1");
    const beginning = new Promise<void>((resolve) => begun = resolve);
    const ending = new Promise<void>((resolve) => ended = resolve);
    client.write(`GET /${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await beginning;
    client.destroy();
    await ending;
    // files are read first
    let isFree = false;
    for (let turn = 0; turn < 500 && !isFree; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      isFree = (await slots.limiter.peek(`/${name}`)).remaining === 1;
    }
    seen[name] = [(await tokens.limiter.peek(`/${name}`)).remaining, isFree];
  }
  return seen;
}
