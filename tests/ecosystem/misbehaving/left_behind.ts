/**
 * Prints what misbehaving requests leave behind, as JSON in the last line: bytes of heap by kind, and open streams.
 *
 * Arguments: requests of each kind in process, and over connections.
 */
import sluice from "@sluice/sluice";

declare const gc: () => void;

const [inProcess = 10_000, connected = 10_000] = Deno.args.map(Number);
const AT_ONCE = 200;
// what is logged about the errors is not the point
console.error = () => {};

/** Kinds that end by themselves, by program. */
const KINDS: Record<string, readonly string[]> = {
  throwing: ["/throws/error", "/rejects/undefined", "/later/frozen", "/handler/rejects", "/param/rejects", "/hostile"],
  after_throwing: ["/throws/write", "/rejects/write", "/throws/end", "/next/send", "/continues/stream", "/twice"],
  answering: [
    "/at-once/send-twice",
    "/at-once/writeHead-twice",
    "/late/send-after-write",
    "/at-once/an-object-written",
  ],
  writing_after_end: ["/at-once/write-after-end", "/listening/end-twice", "/late/write"],
  continuing: ["/twice/at-once", "/twice/later", "/twice/after-rejecting"],
  breaking: [
    ...["/before/req-socket", "/before/req", "/before/res", "/before-and-answers-later/res-socket"],
    ...["/during/req-socket", "/during/res", "/during-and-writes/req", "/after/req-socket", "/long-after/res"],
    ...["/pipe/destroys", "/pipe/next", "/pipeline"],
  ],
};

type App = ReturnType<typeof sluice>;

async function fetchOf(app: App, path: string): Promise<void> {
  const response = await app.fetch(new Request(`http://localhost${path}`));
  await response.text().catch(() => {});
}

/** Asks over a connection of its own, and reads until the server hangs up. */
async function connect(port: number, path: string): Promise<void> {
  using connection = await begin(port, path);
  const buffer = new Uint8Array(4096);
  while (await connection.read(buffer).catch(() => null) !== null);
}

async function begin(port: number, path: string): Promise<Deno.Conn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
  return connection;
}

async function repeat(count: number, act: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, act));
}

async function heap(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    // finalizers and what handlers do late
    await new Promise((resolve) => setTimeout(resolve, 15));
    gc();
  }
  return Deno.memoryUsage().heapUsed;
}

const grown: Record<string, number> = {};

async function measure(kind: string, count: number, act: () => Promise<void>): Promise<void> {
  if (count === 0) return;
  await repeat(Math.max(count / 5, 500), act);
  const before = await heap();
  await repeat(count, act);
  grown[kind] = await heap() - before;
}

let open = 0;
for (const [name, paths] of Object.entries(KINDS)) {
  const program = await import(`./${name}.js`);
  const app = sluice();
  app.set("env", "production");
  program.default(app, sluice);
  const server = app.listen(0, "127.0.0.1");
  for (const path of paths) {
    await measure(`${path} in process`, inProcess, () => fetchOf(app, path));
    await measure(`${path} connected`, connected, () => connect(server.port, path));
  }
  open += app.openStreams.size;
  await app.close();
}

// a client that gives up ends what the handler never would, where somebody looks at the client. For handlers that look
// at nothing the platform keeps the connection (src/platform/unanswered.ts), and on Deno its file, until the server ends.
const app = sluice();
const arrivals: (() => void)[] = [];
app.get("/listens", (_req, res) => {
  res.on("close", () => {});
  arrivals.shift()?.();
});
app.get("/ends", (_req, res) => {
  res.write("part");
  arrivals.shift()?.();
});
const server = app.listen(0, "127.0.0.1");
for (const path of ["/listens", "/ends"]) {
  await measure(`${path} never, given up`, connected, async () => {
    using _connection = await begin(server.port, path);
    await new Promise<void>((resolve) => arrivals.push(resolve));
  });
}
open += app.openStreams.size;
console.log(JSON.stringify({ grown, open }));
Deno.exit(0);
