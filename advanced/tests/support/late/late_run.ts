import { Limiter, type LimitOptions, type Store } from "../../../mod.ts";
import { oneOf, type Pick, random } from "../../../../tests/support/random.ts";
import { certainExcess, type Grant } from "./certain_excess.ts";
import { Wire } from "./wire.ts";

/** A process's connection to the database, over its wire. */
export interface Connection {
  /** The store that uses it. */
  readonly store: Store;
  close(): unknown;
}

/** A kind of store, and its guarantees when messages are late. */
export interface LateSubject {
  readonly name: string;
  /**
   * How much later than its decision a grant may take effect, in ms, if messages are delayed by at most `mostMs`; see
   * docs/limits/reference/guarantees.md.
   */
  earlyMs(mostMs: number): number;
  /** Connects a process. */
  connect(wire: Wire): Connection | Promise<Connection>;
}

/** Options for a run. */
export interface LateOptions {
  /** Seed for the random numbers. */
  readonly seed: number;
  /** Duration in ms. */
  readonly forMs: number;
  /** Maximum message delay in ms. */
  readonly mostMs: number;
  /** Number of processes with delayed messages, besides one without. */
  readonly processes: number;
}

/** A run's result. */
export interface LateReport {
  readonly decisions: number;
  /** Units granted. */
  readonly granted: number;
  /** Units granted to processes with delayed messages. */
  readonly grantedLate: number;
  /** Excess grants, one entry for each limit that has any. */
  readonly excess: readonly string[];
  /** Store failures. */
  readonly failures: readonly string[];
}

const WINDOW_MS = 2000;
const MAX = 10;
const LIMITS: readonly LimitOptions[] = [
  { name: "log", algorithm: "sliding-log" },
  { name: "sliding", algorithm: "sliding-window" },
  { name: "fixed", algorithm: "fixed-window" },
  { name: "aligned", algorithm: "fixed-window", align: "clock" },
  { name: "approximate", algorithm: "sliding-approximate" },
  { name: "bucket", algorithm: "token-bucket" },
];
/** Maximum time between two decisions by the process without delays, in ms. */
const GAP_MS = 10;
/**
 * How long a key is used, in ms. First, delayed processes take many units at once. Then the other process takes single
 * units as soon as the store grants them.
 */
const KEY_MS = 2 * WINDOW_MS;
/** How long the delayed processes take units. */
const LATE_MS = 0.75 * WINDOW_MS;
/** Keys in use at a time, for each limit. */
const LANES = 2;

/**
 * Lets processes take units from the same keys while their statements and replies are late. Reports whether the store
 * granted too much, wherever within its bounds each decision was made.
 *
 * @param subject The store
 * @param options Seed, duration and delays
 */
export async function lateRun(subject: LateSubject, options: LateOptions): Promise<LateReport> {
  const { seed, forMs, mostMs, processes } = options;
  const grants = new Map<string, { limit: number; grants: Grant[] }>();
  const sum = { decisions: 0, granted: 0, grantedLate: 0 };
  const failures: string[] = [];
  const policies = new Limiter({ limits: LIMITS.map(withMax) }).policies;
  const prefix = crypto.randomUUID();
  const connected: Connection[] = [];

  async function work(pick: Pick, mostMs: number, begun: Promise<void>): Promise<void> {
    const wire = new Wire(pick);
    const connection = await subject.connect(wire);
    connected.push(connection);
    const limiters = LIMITS.map((limit) =>
      new Limiter({
        ...withMax(limit),
        ...{ store: connection.store, coalesce: false, denyCache: false, timeoutMs: 600_000, onStoreFailure: "closed" },
      })
    );
    for (const limiter of limiters) limiter.on("storeFailure", (error) => failures.push(`${error.stack}`));
    await limiters[0]!.warm();
    ready();
    await begun;
    wire.mostMs = mostMs;
    const isLate = mostMs > 0;
    for (const start = performance.now(); performance.now() - start < forMs;) {
      const lane = pick(LANES);
      const limit = pick(LIMITS.length);
      const at = performance.now() - start + KEY_MS * (lane / LANES + limit / LIMITS.length);
      if (isLate === at % KEY_MS < LATE_MS) {
        const key = `${prefix} ${lane} ${Math.floor(at / KEY_MS)}`;
        const cost = isLate ? oneOf(pick, [1, MAX / 2, MAX]) : 1;
        const { allowed } = await limiters[limit]!.consume(key, { cost });
        sum.decisions++;
        if (allowed) {
          // a connection handles one decision at a time, so the last message made it
          note(limit, key, { units: cost, sent: wire.sent, replied: wire.replied });
          sum.granted += cost;
          if (isLate) sum.grantedLate += cost;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pick(GAP_MS)));
    }
    wire.mostMs = 0;
  }

  function note(limit: number, key: string, grant: Grant): void {
    const id = `${limit} ${key}`;
    if (!grants.has(id)) grants.set(id, { limit, grants: [] });
    grants.get(id)!.grants.push(grant);
  }

  let waiting = processes + 1;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const ready = () => --waiting === 0 && begin();
  const pick = random(seed);
  const lags = [0, ...Array.from({ length: processes }, () => oneOf(pick, [mostMs, mostMs, mostMs / 2, mostMs / 10]))];
  await Promise.all(lags.map((lag, i) => work(random(seed * 1000 + i), Math.ceil(lag), begun)));
  await Promise.all(connected.map((connection) => connection.close()));
  const excess = [...grants.values()].flatMap(({ limit, grants }) => {
    const found = certainExcess(policies[limit]!, grants, subject.earlyMs(mostMs));
    return found === undefined ? [] : [`${policies[limit]!.name}: ${found}`];
  });
  return { ...sum, excess, failures };
}

function withMax(limit: LimitOptions): LimitOptions {
  return { ...limit, limit: MAX, windowMs: WINDOW_MS };
}
