/** At least one case for every option, with its options and the start of its trace. */
import { PolicyRules } from "@sluice/rate-limit/rules";
import { type AlgorithmName, MemoryStore } from "@sluice/rate-limit";
import type { Random } from "../../src/testing/seeded_random.ts";
import type { StandardHeaders } from "../../src/http/rate_limit_headers.ts";
import type { AnyOptions, Subject } from "../frameworks/subjects.ts";
import type { Making, Scene } from "./run_trace.ts";
import type { TraceShape } from "./traces.ts";

export interface Case extends Omit<Scene, "trace" | "options">, TraceShape {
  options(making: Making): AnyOptions;
  /** Whether an entry supports the options; by default, all do. */
  readonly suits?: (subject: Subject) => boolean;
}

const WINDOW = { limit: 4, windowMs: 1000 } as const;
const BUCKET = { algorithm: "token-bucket", limit: 5, windowMs: 1000 } as const;
const user = (making: Making) => (context: unknown) => making.header(context, "x-user")!;
const number = (making: Making, name: string) => (context: unknown) => Number(making.header(context, name));

const ALGORITHMS: Readonly<Record<AlgorithmName, AnyOptions>> = {
  "fixed-window": WINDOW,
  "sliding-window": { ...WINDOW, buckets: 4 },
  "sliding-log": WINDOW,
  "sliding-approximate": WINDOW,
  "token-bucket": { ...BUCKET, burst: 7 },
  "concurrency": { limit: 2, windowMs: 5000 },
};

const HEADERS: Readonly<Record<StandardHeaders | "true" | "false", true>> = {
  "draft-6": true,
  "draft-7": true,
  "draft-8": true,
  "draft-10": true,
  "draft-11": true,
  true: true,
  false: true,
};

const rules = () =>
  new PolicyRules({
    policies: [
      { name: "hello", routes: ["/hello"], methods: ["GET"], limit: 3, window: "1s", tiers: { pro: { limit: 5 } } },
      { name: "plan", limit: 6, window: "2s", key: [{ header: "x-user" }, { field: "plan" }] },
    ],
  });

const isMiddleware = ({ name }: Subject) => name === "Sluice" || name === "Express";

/** A UTC hour ends 1.5 s after this. */
const BEFORE_THE_HOUR = 1_700_002_798_500;

export const CASES: Readonly<Record<string, Case>> = {
  ...Object.fromEntries(
    Object.entries(ALGORITHMS).map(([algorithm, options]) => [
      algorithm,
      { options: () => ({ algorithm: algorithm as AlgorithmName, ...options }) },
    ]),
  ),
  ...Object.fromEntries(
    Object.keys(HEADERS).map((form) => [
      `standardHeaders ${form}`,
      {
        options: () => ({
          standardHeaders: form === "true" || form === "false" ? form === "true" : form as StandardHeaders,
          limits: [{ name: "fast", ...WINDOW }, { name: "slow", ...BUCKET, limit: 3, windowMs: 2000 }],
        }),
      },
    ]),
  ),
  "align": { options: () => ({ ...WINDOW, windowMs: 700, align: "clock" }) },
  "window": { options: () => ({ limit: 5, window: { every: "hour", timeZone: "UTC" } }), start: BEFORE_THE_HOUR },
  "onDenied charge": { inTurn: true, options: () => ({ ...WINDOW, onDenied: "charge" }) },
  "onDenied extend": { inTurn: true, options: () => ({ ...WINDOW, algorithm: "sliding-log", onDenied: "extend" }) },
  "block": { inTurn: true, options: () => ({ ...WINDOW, block: { after: 2, forMs: 1500 } }) },
  "maxDebt": {
    options: (making) => ({ ...WINDOW, maxDebt: 6, cost: 2, costAfter: number(making, "x-real-cost") }),
  },
  "costAfter, of which nobody knows": {
    options: (making) => ({
      ...BUCKET,
      maxDebt: 3,
      costAfter: (context: unknown) => Number(making.header(context, "x-real-cost")) || undefined,
    }),
  },
  "shadow": {
    options: () => ({ limits: [{ name: "real", ...WINDOW }, { name: "dry", limit: 1, windowMs: 3000, shadow: true }] }),
  },
  "dryRun": { options: () => ({ ...WINDOW, limit: 2, dryRun: true, standardHeaders: "draft-8" }) },
  "dryRun of limits": {
    options: () => ({ limits: [{ limit: 1, windowMs: 1000 }, { ...BUCKET, limit: 2 }], dryRun: true }),
  },
  "limits, each with its key and cost": {
    inTurn: true,
    options: (making) => ({
      limits: [{ name: "units", limit: 6, windowMs: 1000 }, { name: "requests", ...WINDOW }],
      keyGenerator: (context: unknown) => ({
        units: making.header(context, "x-user")!,
        requests: making.header(context, "x-plan") === "pro" ? null : "all",
      }),
      cost: (context: unknown) => ({ units: Number(making.header(context, "x-cost")), requests: 1 }),
    }),
  },
  "limits, none of which has to do with some requests": {
    options: (making) => ({
      limits: [{ name: "one", ...WINDOW }, { name: "two", ...BUCKET }],
      keyGenerator: (context: unknown) => {
        const key = making.header(context, "x-plan") === "pro" ? null : "all";
        return { one: key, two: key };
      },
    }),
  },
  "ipv6Subnet": { options: () => ({ ...WINDOW, ipv6Subnet: 48 }) },
  "ipv6Subnet of a limit": {
    options: () => ({
      limits: [{ name: "client", ...WINDOW }, { name: "network", limit: 6, windowMs: 2000, ipv6Subnet: 48 }],
    }),
  },
  "max as a function": {
    inTurn: true,
    options: (making) => ({
      windowMs: 1000,
      max: (context: unknown) => making.header(context, "x-plan") === "pro" ? 8 : 3,
      keyGenerator: user(making),
    }),
  },
  "limit": { options: () => ({ limit: 3, windowMs: 1000 }) },
  "max": { options: () => ({ max: 3, windowMs: 1000 }) },
  "limit as a function": {
    inTurn: true,
    options: (making) => ({
      windowMs: 1000,
      limit: (context: unknown) => making.header(context, "x-user") === "bob" ? 2 : 4,
    }),
  },
  "policy, by a name": {
    inTurn: true,
    options: (making) => ({
      ...WINDOW,
      policies: { pro: { limit: 7 }, free: { algorithm: "token-bucket", burst: 2 } },
      policy: (context: unknown) => making.header(context, "x-plan")!,
      policyTtlMs: 500,
      keyGenerator: (context: unknown) => `${making.header(context, "x-user")} ${making.header(context, "x-plan")}`,
    }),
  },
  "policy, by its options": {
    inTurn: true,
    options: (making) => ({
      ...WINDOW,
      policyTtlMs: 0,
      policy: (context: unknown) => making.header(context, "x-plan") === "pro" ? { limit: 9 } : {},
      keyGenerator: user(making),
    }),
  },
  "rules, tier and fields": {
    options: (making) => ({
      rules: rules(),
      tier: (context: unknown) => making.header(context, "x-plan") === "pro" ? "pro" : undefined,
      fields: { plan: (context: unknown) => making.header(context, "x-plan") },
    }),
  },
  "cost": { options: () => ({ ...BUCKET, cost: 2 }) },
  "cost as a function": { inTurn: true, options: (making) => ({ ...BUCKET, cost: number(making, "x-cost") }) },
  "keyGenerator": { options: (making) => ({ ...WINDOW, keyGenerator: user(making) }) },
  "skip": {
    options: (making) => ({
      ...WINDOW,
      limit: 2,
      skip: (context: unknown) => making.header(context, "x-free") === "0",
    }),
  },
  "message": { options: () => ({ ...WINDOW, message: "slow down" }) },
  "message as an object": { options: () => ({ ...WINDOW, message: { wait: true }, statusCode: 420 }) },
  "message as a function": {
    options: (making) => ({ ...WINDOW, message: (context: unknown) => ({ for: making.header(context, "x-user") }) }),
  },
  "statusCode": { options: () => ({ ...WINDOW, statusCode: 503 }) },
  "problemDetails": { options: () => ({ ...WINDOW, problemDetails: true }) },
  "handler": { options: ({ respond }) => ({ ...WINDOW, handler: respond(418, "no") as AnyOptions["handler"] }) },
  "headers": { options: () => ({ ...WINDOW, headers: false }) },
  "legacyHeaders": { options: () => ({ ...WINDOW, legacyHeaders: false, standardHeaders: "draft-7" }) },
  "legacyReset": { options: () => ({ ...WINDOW, legacyReset: "epoch" }) },
  "retryJitter": { options: () => ({ ...WINDOW, retryJitter: 5000, random: () => 0.7 }) },
  "name": { options: () => ({ ...WINDOW, name: "api", standardHeaders: "draft-8" }) },
  "identifier": { options: () => ({ ...WINDOW, identifier: "api", standardHeaders: "draft-10" }) },
  "onLimitReached": { options: () => ({ ...WINDOW, onLimitReached: () => {} }) },
  "skipFailedRequests": { options: () => ({ ...WINDOW, limit: 2, skipFailedRequests: true }) },
  "skipSuccessfulRequests": { options: () => ({ ...WINDOW, limit: 2, skipSuccessfulRequests: true }) },
  "requestWasSuccessful": {
    options: (making) => ({
      ...BUCKET,
      skipFailedRequests: true,
      requestWasSuccessful: (context: unknown) => making.header(context, "x-plan") === "pro",
    }),
  },
  "passOnStoreError": {
    inTurn: true,
    options: () => ({ ...WINDOW, limit: 2, passOnStoreError: true }),
    outage: { from: 200, to: 1500, kind: "fails" },
  },
  ...Object.fromEntries((["local", "open", "closed"] as const).map((onStoreFailure): [string, Case] => [
    `onStoreFailure ${onStoreFailure}`,
    {
      inTurn: true,
      options: () => ({ ...WINDOW, limit: 2, onStoreFailure, processes: 1 }),
      outage: { from: 200, to: 1500, kind: "fails" },
    },
  ])),
  "processes": {
    inTurn: true,
    options: () => ({ ...WINDOW, limit: 4, processes: 2 }),
    outage: { from: 0, to: 9000, kind: "fails" },
  },
  "timeoutMs": {
    inTurn: true,
    options: () => ({ ...WINDOW, limit: 2, timeoutMs: 40 }),
    outage: { from: 100, to: 1200, kind: "stalls" },
  },
  "store": { options: ({ clock }) => ({ ...WINDOW, store: new MemoryStore({ clock }) }) },
  "coalesce": { options: () => ({ ...WINDOW, coalesce: false }) },
  "denyCache": { options: () => ({ ...WINDOW, denyCache: false }) },
  "leases": { options: () => ({ ...WINDOW, limit: 6, leases: 2 }), apart: ["state", "headers"] },
  "maxKeys": { options: (making) => ({ ...WINDOW, maxKeys: 1, keyGenerator: user(making) }) },
  "delay": { options: () => ({ ...BUCKET, burst: 2, delay: { maxMs: 700 } }) },
  "delay in a fixed window": { options: () => ({ ...WINDOW, delay: { maxMs: 900 } }) },
  "delay for limits": {
    options: () => ({
      limits: [{ name: "fast", ...BUCKET, burst: 2 }, { name: "slow", ...WINDOW }],
      delay: { maxMs: 600 },
    }),
  },
  "delay for requests in progress": {
    // whether the two requests that end in the same ms have ended when the first waiting request is admitted
    apart: ["headers", "counters"],
    options: () => ({ algorithm: "concurrency", limit: 2, windowMs: 5000, delay: { maxMs: 250 } }),
  },
  "delay from some units on": { options: () => ({ ...BUCKET, burst: 8, delay: { from: 3, maxMs: 1000 } }) },
  "delay from some units on, in a fixed window": {
    options: () => ({ limit: 10, windowMs: 1000, delay: { from: 4, maxMs: 300 } }),
  },
  "maxWaiting": {
    inTurn: true,
    options: () => ({ ...BUCKET, burst: 9, maxWaiting: 2, delay: { from: 1, maxMs: 900 } }),
  },
  "validate": { options: () => ({ ...WINDOW, validate: { trustProxy: false } }) },
  "missingKey": {
    options: () => ({ ...WINDOW, missingKey: "error" }),
    unknown: true,
    suits: ({ mayNotKnow }) => mayNotKnow,
  },
  "missingKey share": {
    options: () => ({ ...WINDOW, missingKey: "share" }),
    unknown: true,
    suits: ({ mayNotKnow }) => mayNotKnow,
  },
  "clientAddress": {
    options: (making) => ({ ...WINDOW, clientAddress: (context: unknown) => making.header(context, "x-user") }),
    suits: (subject) => !isMiddleware(subject),
  },
  "requestPropertyName": {
    options: () => ({ ...WINDOW, requestPropertyName: "quota" } as AnyOptions),
    suits: isMiddleware,
  },
};

/** Parts that combine with most other parts, for random options. */
const PARTS: readonly ((making: Making, pick: Random) => AnyOptions)[] = [
  (making) => ({ keyGenerator: user(making) }),
  (making) => ({ cost: number(making, "x-cost") }),
  (making) => ({ skip: (context: unknown) => making.header(context, "x-free") === "0" }),
  (_making, pick) => ({ delay: { maxMs: 50 + pick(900) } }),
  (_making, pick) => ({ delay: { from: pick(4), maxMs: 50 + pick(900) } }),
  (_making, pick) => ({ delay: { maxMs: 400 }, maxWaiting: pick(4) }),
  () => ({ skipFailedRequests: true }),
  () => ({ skipSuccessfulRequests: true }),
  (making) => ({ maxDebt: 5, costAfter: number(making, "x-real-cost") }),
  (_making, pick) => ({ block: { after: 1 + pick(3), forMs: 200 + pick(1500) } }),
  () => ({ onDenied: "charge" }),
  () => ({ dryRun: true }),
  () => ({ standardHeaders: "draft-11" }),
  () => ({ retryJitter: 3000, random: () => 0.3 }),
  (making) => ({ message: (context: unknown) => `wait, ${making.header(context, "x-user")}`, statusCode: 503 }),
  () => ({ denyCache: false }),
  () => ({ coalesce: false }),
  () => ({ ipv6Subnet: 48 }),
];

/** A case with random options, some of which may be incompatible. */
export function randomCase(pick: Random): Case {
  const algorithms = Object.keys(ALGORITHMS) as AlgorithmName[];
  const algorithm = algorithms[pick(algorithms.length)]!;
  const policy = { algorithm, limit: 1 + pick(7), windowMs: [400, 1000, 997, 2500][pick(4)]! };
  const parts = Array.from({ length: 2 + pick(3) }, () => PARTS[pick(PARTS.length)]!);
  const numbers = Array.from({ length: 12 }, () => pick(2 ** 30));
  return {
    inTurn: true,
    options: (making) => {
      let at = 0;
      const again: Random = (below) => numbers[at++ % numbers.length]! % below;
      return Object.assign({}, policy, ...parts.map((part) => part(making, again)));
    },
  };
}
