/** ns for a whole middleware call, headers included. */
import { interleave, withChildren } from "../support/child.ts";
import { ipv4Keys, ipv6Keys, randomWalk } from "./keys.ts";
import { HOUR, LIMIT } from "./peers.ts";
import { median, printTable, ratio } from "../support/table.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const SIZES = [1, 10_000];
const FAMILIES = ["IPv4", "IPv6"];
const NAMES = ["floor", "Sluice", "hitlimit", "floor, awaited", "Sluice, awaited", "express-rate-limit"];

const ABOUT =
  `ns per request, then the ratio to the floor: a \`Map\` lookup, a clock read, three \`setHeader\` and \`next()\` \
(paired; lowest–highest). A new request and response object each time; limits are never reached. Everyone sends \
X-RateLimit-Limit, -Remaining and -Reset, express-rate-limit also Date. hitlimit and the floor count each IPv6 address apart; \
Sluice counts by /64, express-rate-limit by /56. The last row is Sluice's IPv6 against its IPv4. \
"awaited" is one turn for each request, as in a server; otherwise the loop is one turn, in which Sluice reads the clock every 64 \
requests. express-rate-limit answers by promises and is awaited.`;

interface StubRequest {
  readonly ip: string;
  readonly headers: Record<string, string>;
  readonly app: { get(name: string): unknown };
}

/** A minimal response for every contestant. */
class StubResponse {
  statusCode = 200;
  headersSent = false;
  readonly #headers: Record<string, unknown> = {};

  setHeader(name: string, value: unknown): this {
    this.#headers[name] = value;
    return this;
  }

  getHeader(name: string): unknown {
    return this.#headers[name];
  }

  on(): this {
    return this;
  }

  end(): this {
    throw new Error("no request should be refused");
  }
}

type Middleware = (req: StubRequest, res: StubResponse, next: (error?: unknown) => void) => unknown;

/** Compares the contestants at every size up to a number of keys. */
export async function middleware(rounds: number, keys: number): Promise<void> {
  const sizes = SIZES.filter((size) => size <= keys);
  const cases = sizes.flatMap((size) => FAMILIES.map((family) => [String(size), family] as const));
  const columns: string[][] = [];
  for (const size of sizes) {
    // both address families in the same rounds, because they are also compared
    const all = FAMILIES.flatMap((family) => NAMES.map((name) => ["middleware", name, String(size), family]));
    const figures = await withChildren(
      WORKER,
      all,
      (children) => interleave(all.map(([_, name, , family]) => `${name} ${family}`), children, rounds),
    );
    for (const family of FAMILIES) {
      columns.push([
        ...NAMES.map((name) => {
          const one = `${name} ${family}`;
          const base = name.endsWith("awaited") ? "floor, awaited" : "floor";
          return `${Math.round(median(figures.get(one)!))} · ${ratio(figures, one, `${base} ${family}`)}`;
        }),
        family === "IPv4" ? "" : ratio(figures, "Sluice IPv6", "Sluice IPv4"),
      ]);
    }
  }
  const rows = [...NAMES, "Sluice IPv6 / IPv4"].map((name, i) => [name, ...columns.map((cells) => cells[i]!)]);
  printTable("As middleware", ABOUT, ["contestant", ...cases.map(([size, family]) => `${size} ${family}`)], rows);
}

async function made(name: string): Promise<Middleware> {
  switch (name) {
    case "floor":
      return floor();
    case "Sluice": {
      const { rateLimit } = await import("../../advanced/mod.ts");
      return rateLimit({ limit: LIMIT, windowMs: HOUR }) as unknown as Middleware;
    }
    case "hitlimit": {
      const { hitlimit } = await import("@joint-ops/hitlimit");
      return hitlimit({ limit: LIMIT, window: HOUR, headers: { standard: false } } as never) as unknown as Middleware;
    }
    default: {
      const { rateLimit } = await import("express-rate-limit");
      return rateLimit({ limit: LIMIT, windowMs: HOUR, validate: false }) as unknown as Middleware;
    }
  }
}

function floor(): Middleware {
  const clients = new Map<string, { count: number; end: number }>();
  return (req, res, next) => {
    const now = Date.now();
    let client = clients.get(req.ip);
    if (client === undefined) clients.set(req.ip, client = { count: 0, end: now + HOUR });
    else if (now >= client.end) {
      client.count = 0;
      client.end = now + HOUR;
    }
    client.count++;
    res.setHeader("X-RateLimit-Limit", String(LIMIT));
    res.setHeader("X-RateLimit-Remaining", String(LIMIT - client.count));
    res.setHeader("X-RateLimit-Reset", String(Math.ceil((client.end - now) / 1000)));
    next();
  };
}

/** Prepares a contestant; every round returns ns per request. */
export async function middlewareWorker(name: string, size: string, family: string): Promise<() => Promise<number>> {
  const addresses = family === "IPv4" ? ipv4Keys(Number(size)) : ipv6Keys(Number(size));
  const handle = await made(name.split(",")[0]!);
  const walk = randomWalk(addresses.length, 50_000);
  const app = { get: () => false };
  let passed = 0;
  const next = (error?: unknown) => {
    if (error !== undefined) throw error;
    passed++;
  };
  const isAwaited = name === "express-rate-limit" || name.endsWith("awaited");
  const round = async () => {
    passed = 0;
    const begin = performance.now();
    for (let i = 0; i < walk.length; i++) {
      const handled = handle({ ip: addresses[walk[i]!]!, headers: {}, app }, new StubResponse(), next);
      if (isAwaited) await handled;
    }
    const ns = (performance.now() - begin) * 1e6 / walk.length;
    if (passed !== walk.length) throw new Error(`${name} let ${passed} of ${walk.length} pass`);
    return ns;
  };
  for (let i = 0; i < 4; i++) await round();
  return round;
}
