import type { CalendarWindow } from "../policy/calendar_window.ts";
import type { AlgorithmName, OnDenied } from "../policy/policy.ts";

/**
 * Policies as data: what a file, a database or a control plane says of limits. The same document tells the simulator
 * what to try on a log.
 *
 * @example Checked by the compiler, where it is written in the program
 * ```ts
 * import { type PolicyDocument, PolicyRules } from "@sluice/rate-limit/rules";
 *
 * const document: PolicyDocument = {
 *   policies: [
 *     { name: "api", routes: ["/api/*"], limit: 100, window: "1m", tiers: { pro: { limit: 1000 } } },
 *     { name: "login", routes: ["/login"], methods: ["POST"], limit: 5, window: "10m", shadow: true },
 *   ],
 * };
 * console.log(new PolicyRules(document).policies.length); // 2
 * ```
 */
export interface PolicyDocument {
  /** Where editors find the JSON Schema of such documents: `policies.schema.json` of the package. */
  readonly $schema?: string | undefined;
  /** Whether all policies that don't say otherwise only count and report. */
  readonly shadow?: boolean | undefined;
  /** The policies. Those that concern a request are decided as one: either all of them grant, or none is charged. */
  readonly policies: readonly DocumentPolicy[];
  /** For the simulator: where a log has what a request consists of. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** How much, and in which time. */
export interface DocumentLimit {
  /** Units per window; 0 refuses everything. */
  readonly limit: number;
  /** Length of a window: a text such as `"500ms"`, `"90s"`, `"1m"`, `"1h"`, `"1d"`, ms, or one of the calendar. */
  readonly window: string | number | CalendarWindow;
  /** How it counts, `"fixed-window"` by default. */
  readonly algorithm?: AlgorithmName | undefined;
  /** `"token-bucket"`: units that may be taken at once, `limit` by default. */
  readonly burst?: number | undefined;
  /** `"sliding-window"`: parts the window is counted in, 10 by default. */
  readonly buckets?: number | undefined;
  /** `"fixed-window"`: whether windows begin with a key's first request (default), or are aligned to the clock. */
  readonly align?: "first-hit" | "clock" | undefined;
}

/**
 * What one limit counts, and for whom.
 *
 * @example One counter for each client and account
 * ```ts
 * import type { DocumentPolicy } from "@sluice/rate-limit/rules";
 *
 * const login: DocumentPolicy = {
 *   name: "login",
 *   routes: ["/login"],
 *   methods: ["POST"],
 *   key: ["address", { field: "account" }],
 *   limit: 5,
 *   window: "10m",
 *   block: { after: 3, for: "1h" },
 * };
 * ```
 */
export interface DocumentPolicy extends DocumentLimit {
  /** Its name, by which it is counted: a policy that keeps it keeps its counts when the document is replaced. */
  readonly name: string;
  /** Paths it concerns, such as `"/users/:id"` or `"/api/*"`; all by default. */
  readonly routes?: readonly string[] | undefined;
  /** Methods it concerns; all by default. `GET` concerns `HEAD`, too. */
  readonly methods?: readonly string[] | undefined;
  /**
   * What is counted apart, the client's address by default. A policy does not concern requests that lack a part, as with
   * Envoy's descriptors.
   */
  readonly key?: KeyPart | readonly KeyPart[] | undefined;
  /** Bits of an IPv6 address that identify a client. */
  readonly ipv6Subnet?: number | undefined;
  /** What a tier has of its own, by its name; `"unlimited"` where the policy does not concern it. */
  readonly tiers?: Readonly<Record<string, Partial<DocumentLimit> | "unlimited">> | undefined;
  /** What a refused request does to the quota: nothing (default), counts as well, or restarts the wait. */
  readonly onDenied?: OnDenied | undefined;
  /** Blocks a key after so many refusals in a window. */
  readonly block?: { readonly after: number; readonly for: string | number } | undefined;
  /** The most units by which a key may exceed the limit when decisions are settled by their real cost. */
  readonly maxDebt?: number | undefined;
  /** Whether it only counts and reports. */
  readonly shadow?: boolean | undefined;
  /** Units that a request costs, 1 by default. */
  readonly cost?: number | undefined;
}

/**
 * Part of a key: the client's address, a header of the request, a field that the program fills in, or a segment of the
 * path, the first being 1. Headers are what a client likes to send: count by one only if it was verified, or in addition
 * to the address.
 */
export type KeyPart =
  | "address"
  | { readonly header: string }
  | { readonly field: string }
  | { readonly path: number };
