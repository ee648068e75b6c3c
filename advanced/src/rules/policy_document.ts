import type { CalendarWindow } from "../policy/calendar_window.ts";
import type { AlgorithmName, OnDenied } from "../policy/policy.ts";

/**
 * Policies as data, for a file, a database or a control plane. The simulator uses the same document to try policies on
 * a log.
 *
 * @example Type-checked, in the program itself
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
  /** Location of the JSON Schema for editors: the package's `policies.schema.json`. */
  readonly $schema?: string | undefined;
  /** Whether policies only count and report unless they set otherwise. */
  readonly shadow?: boolean | undefined;
  /**
   * The policies. Those that apply to a request are decided atomically: either all policies grant, or no policy is
   * charged.
   */
  readonly policies: readonly DocumentPolicy[];
  /** For the simulator: where a log contains the parts of a request. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** Units per window. */
export interface DocumentLimit {
  /** Units per window; 0 refuses everything. */
  readonly limit: number;
  /**
   * Window length: `"500ms"`, `"90s"`, `"1m"`, `"1h"`, `"1d"` and the like, a number of ms, or a calendar window.
   */
  readonly window: string | number | CalendarWindow;
  /** The algorithm, `"fixed-window"` by default. */
  readonly algorithm?: AlgorithmName | undefined;
  /** `"token-bucket"`: units that may be consumed at once, `limit` by default. */
  readonly burst?: number | undefined;
  /** `"sliding-window"`: number of buckets per window, 10 by default. */
  readonly buckets?: number | undefined;
  /** `"fixed-window"`: whether windows begin with a key's first request (default), or are aligned to the clock. */
  readonly align?: "first-hit" | "clock" | undefined;
}

/**
 * What a limit counts, and for which clients it counts.
 *
 * @example One counter per client and account
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
  /** The name it counts under: a policy that keeps its name keeps its counts when the document is replaced. */
  readonly name: string;
  /** Paths it covers, such as `"/users/:id"` or `"/api/*"`; all by default. */
  readonly routes?: readonly string[] | undefined;
  /** Methods it covers; all by default. `GET` includes `HEAD`. */
  readonly methods?: readonly string[] | undefined;
  /**
   * What to count by, the client's address by default. A policy skips requests that lack a part, like Envoy's
   * descriptors.
   */
  readonly key?: KeyPart | readonly KeyPart[] | undefined;
  /** Bits of an IPv6 address that identify a client. */
  readonly ipv6Subnet?: number | undefined;
  /** Settings for individual tiers, by name; `"unlimited"` if the policy does not apply to a tier. */
  readonly tiers?: Readonly<Record<string, Partial<DocumentLimit> | "unlimited">> | undefined;
  /** What a refused request does to the quota: nothing (default), consume it too, or restart the wait. */
  readonly onDenied?: OnDenied | undefined;
  /** Blocks a key after repeated refusals in one window. */
  readonly block?: { readonly after: number; readonly for: string | number } | undefined;
  /** Maximum units by which a key may exceed the limit when decisions are settled with their actual cost. */
  readonly maxDebt?: number | undefined;
  /** Whether it only counts and reports. */
  readonly shadow?: boolean | undefined;
  /** Units that a request costs, 1 by default. */
  readonly cost?: number | undefined;
}

/**
 * Part of a key: the client's address, a request header, a field that the program fills in, or a path segment, starting
 * at 1. Clients can send any header: count only by a verified header, or by the address as well.
 */
export type KeyPart =
  | "address"
  | { readonly header: string }
  | { readonly field: string }
  | { readonly path: number };
