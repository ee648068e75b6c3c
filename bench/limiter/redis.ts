/** Decisions per second over one connection to Redis. */
import { setImmediate } from "node:timers";
import type { RedisPort } from "../../advanced/mod.ts";
import { startRedis } from "../../scripts/redis.ts";
import { type Child, withChildren } from "../support/child.ts";
import { ipv4Keys, randomWalk } from "./keys.ts";
import { LIMIT } from "./peers.ts";
import { median, printTable, ratio } from "../support/table.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const CALLERS = 128;
const SECONDS = 1;
const WINDOW_MS = 600_000;
const POLICY = { name: "bench", algorithm: "fixed-window", limit: LIMIT, windowMs: WINDOW_MS } as const;
const RAW = "raw EVALSHA";
const NAMES = [
  RAW,
  ...["RedisStore", "RedisStore, 100 keys, coalesced", "RedisStore, leases of 16"],
  ...["Limiter, defaults", "Limiter, defaults, 100 keys", "Limiter, leases of 16"],
  ...["raw EVALSHA, node-redis as it comes", "raw EVALSHA, ioredis", "rate-limit-redis"],
  ...["rate-limiter-flexible", "rate-limiter-flexible, ioredis", "hitlimit, ioredis"],
];

const ABOUT =
  `${CALLERS} callers on one connection, each asking again when it is answered, for ${SECONDS} s a round; 1000 keys, \
where no other number stands. Ratio of decisions per second to \`${RAW}\`: the script of a fixed window, sent through node-redis \
without its timer for every command (paired; lowest–highest). Without "ioredis" the client is node-redis, without that timer. \
Commands are those the clients sent, by INFO commandstats. "not by the store" are decisions that FailurePolicy had to give.`;

interface Answer {
  readonly rate: number;
  readonly decisions: number;
  readonly otherwise: number;
}

/** Compares the contestants. */
export async function redis(rounds: number): Promise<void> {
  const server = await startRedis();
  if (typeof server === "string") return console.log(`\n### Redis\n\nleft out: ${server}`);
  try {
    const admin = await connect(server.url);
    const rates = new Map<string, number[]>(NAMES.map((name) => [name, []]));
    const trips = new Map<string, number>();
    const otherwise = new Map<string, number>();
    const ask = async (name: string, child: Child, isWarm: boolean) => {
      await admin.sendCommand(["CONFIG", "RESETSTAT"]);
      const { rate, decisions, otherwise: others } = await child.ask<Answer>();
      if (!isWarm) return;
      rates.get(name)!.push(rate);
      trips.set(name, sentCommands(String(await admin.sendCommand(["INFO", "commandstats"]))) / decisions);
      otherwise.set(name, (otherwise.get(name) ?? 0) + others);
    };
    await withChildren(WORKER, NAMES.map((name) => ["redis", name, server.url]), async (children) => {
      for (let round = -1; round < Math.ceil(rounds / 2); round++) {
        for (const [i, child] of children.entries()) await ask(NAMES[i]!, child, round >= 0);
      }
    });
    const rows = NAMES.map((name) => [
      name,
      `${Math.round(median(rates.get(name)!) / 1000)} 000`,
      ratio(rates, name, RAW),
      trips.get(name)!.toFixed(3),
      String(otherwise.get(name)),
    ]);
    printTable("Redis", ABOUT, ["contestant", "a second", "ratio", "commands a decision", "not by the store"], rows);
    admin.destroy();
  } finally {
    await server.stop();
  }
}

/** Commands sent by clients, excluding those called by scripts, which are counted under other names. */
function sentCommands(stats: string): number {
  let sum = 0;
  for (const [, calls] of stats.matchAll(/^cmdstat_(?:evalsha|eval):calls=(\d+)/gm)) sum += Number(calls);
  return sum;
}

async function connect(url: string) {
  const { createClient } = await import("redis");
  const client = createClient({ url, commandOptions: { timeout: 0 } });
  await client.connect();
  return client;
}

/** Prepares a contestant. */
export async function redisWorker(name: string, url: string): Promise<() => Promise<Answer>> {
  const keys = ipv4Keys(name.includes("100 keys") ? 100 : 1000);
  const walk = randomWalk(keys.length, 1_000_000);
  const { decide, otherwise = () => 0 } = await contestant(name, url);
  for (const key of keys) await decide(key);
  let at = 0;
  return async () => {
    let decisions = 0;
    let isOver = false;
    const before = otherwise();
    const begin = performance.now();
    // decisions without the store never yield to the event loop, and would block both the timer and Redis's replies
    let breath: Promise<void> | null = null;
    const caller = async () => {
      while (!isOver) {
        await decide(keys[walk[at = (at + 1) % walk.length]!]!);
        if (++decisions % 1024 === 0) breath ??= nextTurn().then(() => void (breath = null));
        if (breath !== null) await breath;
      }
    };
    setTimeout(() => isOver = true, SECONDS * 1000);
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const rate = decisions / ((performance.now() - begin) / 1000);
    return { rate, decisions, otherwise: otherwise() - before };
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Contestant {
  decide(key: string): unknown;
  /** Decisions so far that did not come from Redis. */
  otherwise?(): number;
}

async function contestant(name: string, url: string): Promise<Contestant> {
  if (name.startsWith("raw")) return await raw(name, url);
  if (name.startsWith("RedisStore")) return await store(name, url);
  if (name.startsWith("Limiter")) return await limiter(name, url);
  switch (name) {
    case "rate-limit-redis": {
      const { RedisStore } = await import("rate-limit-redis");
      const client = await connect(url);
      const peer = new RedisStore({ sendCommand: (...args: string[]) => client.sendCommand(args) as never });
      await peer.init({ windowMs: WINDOW_MS } as never);
      return { decide: (key) => peer.increment(key) };
    }
    case "hitlimit, ioredis": {
      const { redisStore } = await import("@joint-ops/hitlimit/stores/redis");
      const peer = redisStore({ url });
      return { decide: (key) => peer.hit(key, WINDOW_MS, LIMIT) };
    }
    default: {
      const { RateLimiterRedis } = await import("rate-limiter-flexible");
      const isNode = !name.endsWith("ioredis");
      const storeClient = isNode ? await connect(url) : await connectIo(url);
      const peer = new RateLimiterRedis({
        ...{ storeClient, points: LIMIT, duration: WINDOW_MS / 1000, useRedisPackage: isNode },
      });
      return { decide: (key) => peer.consume(key) };
    }
  }
}

async function connectIo(url: string) {
  const { Redis } = await import("ioredis");
  return new Redis(url);
}

async function raw(name: string, url: string): Promise<Contestant> {
  const { script, args } = await sentByStore();
  if (name.endsWith("ioredis")) {
    const client = await connectIo(url);
    const sha = await client.script("LOAD", script) as string;
    return { decide: (key) => client.evalsha(sha, 1, `raw:{${key}}bench`, ...args) };
  }
  const { createClient } = await import("redis");
  const client = name === RAW ? await connect(url) : await createClient({ url }).connect();
  const sha = await client.scriptLoad(script);
  return { decide: (key) => client.evalSha(sha, { keys: [`raw:{${key}}bench`], arguments: args }) };
}

/** The script and arguments that the store sends for a decision. */
async function sentByStore(): Promise<{ script: string; args: string[] }> {
  const { RedisStore } = await import("../../advanced/mod.ts");
  let sent: { script: string; args: string[] } | null = null;
  const port: RedisPort = {
    evalsha: () => Promise.reject(new Error("NOSCRIPT")),
    eval(script, _keys, args) {
      sent = { script, args: [...args] };
      return Promise.resolve([1, 0, 1, 0, 0, 0, 0, 0]);
    },
    async *scan() {},
  };
  const inner = new RedisStore({ client: port });
  await inner.decide([{ policy: POLICY, key: "key", cost: 1 }]);
  return sent!;
}

async function store(name: string, url: string): Promise<Contestant> {
  const { RedisStore } = await import("../../advanced/mod.ts");
  const { newCounters } = await import("../../advanced/src/wrappers/counters.ts");
  const { CoalescingStore } = await import("../../advanced/src/wrappers/coalescing.ts");
  const { LeasingStore } = await import("../../advanced/src/wrappers/leases.ts");
  const inner = new RedisStore({ client: await connect(url), prefix: `${name}:` });
  const outer = name.endsWith("coalesced")
    ? new CoalescingStore(inner, newCounters())
    : name.endsWith("16")
    ? new LeasingStore(inner, { max: 16, processes: 1 }, Date.now, newCounters())
    : inner;
  return { decide: (key) => outer.decide([{ policy: POLICY, key, cost: 1 }]) };
}

async function limiter(name: string, url: string): Promise<Contestant> {
  const { Limiter, RedisStore } = await import("../../advanced/mod.ts");
  const one = new Limiter({
    store: new RedisStore({ url, prefix: `${name}:` }),
    ...{ limit: LIMIT, windowMs: WINDOW_MS },
    leases: name.endsWith("16") ? 16 : undefined,
  });
  await one.warm();
  return {
    decide: (key) => one.consume(key),
    otherwise: () => one.counters.storeFailures + one.counters.decidedLocally,
  };
}
