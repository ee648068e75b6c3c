/**
 * Prints what misbehaving requests leave behind, as JSON in the last line: heap bytes by kind, and open streams.
 *
 * Arguments: the programs that get requests; `never` for handlers that never respond.
 */
import sluice from "@sluice/sluice";
import { openStreamsKey } from "../../../src/exchange/app_like.ts";

declare const gc: () => void;

/** In-process requests of each kind. */
const IN_PROCESS = 10_000;
/** Requests of each kind over connections. */
const CONNECTED = 1024;
/** A kind is measured again if the heap grows by more than this, in bytes. */
const LITTLE = 100_000;
/** Time until all late handler work is done, in ms. */
const LATE_MS = 25;

// logging errors with their stacks is irrelevant here and would take most of the time
console.error = () => {};
Error.stackTraceLimit = 0;

type App = ReturnType<typeof sluice>;

/** Requests of one kind. */
interface Kind {
  readonly name: string;
  readonly count: number;
  readonly atOnce: number;
  readonly ask: () => Promise<void>;
  /** Called before the heap is measured. */
  readonly settle?: () => Promise<void>;
}

const grown: Record<string, number> = {};
let open = 0;

for (const name of Deno.args) {
  const app = sluice();
  app.set("env", "production");
  // objects that wait for the platform's cleanup must be equal before and after, so these kinds are measured one at a
  // time
  const groups = name === "never" ? givenUp(app).map((kind) => [kind]) : [await ended(app, name)];
  for (const kinds of groups) await measure(kinds);
  open += app[openStreamsKey].size;
  await app.close({ timeoutMs: 0 });
}
console.log(JSON.stringify({ grown, open }));
Deno.exit(0);

async function ended(app: App, name: string): Promise<Kind[]> {
  const program = await import(`./${name}.js`);
  program.default(app, sluice);
  const { port } = app.listen(0, "127.0.0.1");
  return program.measured.flatMap((path: string): Kind[] => [
    { name: `${path} in process`, count: IN_PROCESS, atOnce: 1000, ask: () => fetchOf(app, path) },
    { name: `${path} connected`, count: CONNECTED, atOnce: 200, ask: () => connect(port, path) },
  ]);
}

/** Requests whose handler never responds; a disconnect ends them. */
function givenUp(app: App): Kind[] {
  const arrivals: (() => void)[] = [];
  app.get("/listens", (_req, res) => {
    res.on("close", () => {});
    arrivals.shift()?.();
  });
  app.get("/ends", (_req, res) => {
    res.write("part");
    arrivals.shift()?.();
  });
  app.get("/silent", () => arrivals.shift()?.());
  app.get("/", (_req, res) => res.send("home"));
  const { port } = app.listen(0, "127.0.0.1");
  return ["/listens", "/ends", "/silent"].map((path) => {
    const ask = async () => {
      using _connection = await begin(port, path);
      await new Promise<void>((resolve) => arrivals.push(resolve));
    };
    return { name: `${path} never, given up`, count: CONNECTED, atOnce: 200, ask, settle: () => passTime(app) };
  });
}

/** Lets two seconds pass for waiting handlers, while other requests arrive and trigger the disconnect check. */
async function passTime(app: App): Promise<void> {
  const { now } = Date;
  for (const seconds of [2, 4]) {
    Date.now = () => now() + seconds * 1000;
    // the clock is read once every 512 requests
    for (let i = 0; i < 512; i++) await fetchOf(app, "/");
  }
  Date.now = now;
}

async function measure(kinds: readonly Kind[]): Promise<void> {
  // caches and compiled code grow too, but only at first
  for (const { count, atOnce, ask, settle } of kinds) {
    await repeat(Math.max(count / 10, 600), atOnce, ask);
    await settle?.();
  }
  let before = await heap();
  for (const { name, count, atOnce, ask, settle } of kinds) {
    const rounds: number[] = [];
    // a leak grows with every request, so it also shows in a second round
    while (rounds.length < 2 && (rounds[0] ?? Infinity) > LITTLE) {
      await repeat(count, atOnce, ask);
      await settle?.();
      const after = await heap();
      rounds.push(after - before);
      before = after;
    }
    grown[name] = Math.min(...rounds);
  }
}

async function repeat(count: number, atOnce: number, act: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - done) }, act));
  }
}

async function fetchOf(app: App, path: string): Promise<void> {
  const response = await app.fetch(new Request(`http://localhost${path}`));
  await response.text().catch(() => {});
}

/** Sends a request over its own connection, and reads until the server closes it. */
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

/** Bytes in use once repeated garbage collection, with ticks for finalizers in between, frees no more memory. */
async function heap(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, LATE_MS));
  for (let used = Infinity;;) {
    gc();
    const { heapUsed } = Deno.memoryUsage();
    if (heapUsed > used - 1000) return heapUsed;
    used = heapUsed;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
