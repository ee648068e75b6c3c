import { asciiUpperCase, checkInteger, describe } from "@sluice/shared";
import { clientKey } from "@sluice/limiting";
import type { LimitOptions, OwnLimit } from "../limiter/limiter_options.ts";
import { policiesOf } from "../limiter/limiter_options.ts";
import { ownPolicy } from "../limiter/own_policies.ts";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import type { Policy } from "../policy/policy.ts";
import { segmentOf } from "./path_of.ts";
import { routePattern } from "./route_pattern.ts";
import type { Rule, RuleRequest } from "./rule_set.ts";

/** A location in a document: names and numbers, from the top. */
export type DocumentPath = readonly (string | number)[];

/** Rejects the value at a path; the message continues after its name. */
export type Refuse = (path: DocumentPath, message: string) => never;

const DOCUMENT_NAMES = ["$schema", "policies", "shadow", "fields"];
/** The parts of a logged request, under their names in `fields`. */
export const FIELD_NAMES = ["time", "address", "method", "path", "tier"] as const;
const LIMIT_NAMES = ["algorithm", "window", "limit", "burst", "buckets", "align"];
const POLICY_NAMES = [
  ...["name", "key", "ipv6Subnet", "routes", "methods", ...LIMIT_NAMES],
  ...["onDenied", "block", "maxDebt", "shadow", "cost", "tiers"],
];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Header and method names (RFC 9110 §5.6.2). */
const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/;
/** The document's names for the limiter's options. */
const OPTION_PATHS: Readonly<Record<string, DocumentPath>> = {
  limit: ["limit"],
  windowMs: ["window"],
  "block.after": ["block", "after"],
  "block.forMs": ["block", "for"],
};

/**
 * Reads a policy document.
 *
 * @param document The value passed
 * @param refuse Rejects invalid values
 * @returns One rule per policy
 */
export function readRules(document: unknown, refuse: Refuse): Rule[] {
  if (!isObject(document)) return refuse([], `the document must have policies, not ${describe(document)}`);
  const { policies, shadow = false, fields = {}, $schema } = document;
  checkDocumentNames(document, [], DOCUMENT_NAMES, refuse);
  if ($schema !== undefined) textOf($schema, ["$schema"], refuse);
  if (!isObject(fields)) return refuse(["fields"], ` must name fields of the log, not ${describe(fields)}`);
  checkDocumentNames(fields, ["fields"], FIELD_NAMES, refuse);
  for (const [name, value] of Object.entries(fields)) textOf(value, ["fields", name], refuse);
  if (typeof shadow !== "boolean") return refuse(["shadow"], ` must be true or false, not ${describe(shadow)}`);
  if (!Array.isArray(policies) || policies.length === 0) {
    return refuse(["policies"], ` must be a list of at least one policy, not ${describe(policies)}`);
  }
  const rules = policies.map((policy, i) => ruleOf(policy, ["policies", i], shadow, refuse));
  const names = rules.map(({ policy }) => policy.name);
  const twice = names.findIndex((one, i) => names.indexOf(one) !== i);
  if (twice >= 0) refuse(["policies", twice, "name"], ` is the name of another policy, too: "${names[twice]}"`);
  return rules;
}

function ruleOf(given: unknown, path: DocumentPath, isShadow: boolean, refuse: Refuse): Rule {
  if (!isObject(given)) return refuse(path, ` must be a policy, not ${describe(given)}`);
  checkDocumentNames(given, path, POLICY_NAMES, refuse);
  const { name, key = "address", ipv6Subnet, routes, methods, block, shadow = isShadow, cost = 1, tiers = {} } = given;
  if (name === undefined) refuse(path, " needs a name, by which it is counted");
  if (given.limit === undefined) refuse(path, " needs a limit: units per window");
  if (given.window === undefined) refuse(path, ' needs a window, such as "1m"');
  if (typeof shadow !== "boolean") {
    return refuse([...path, "shadow"], ` must be true or false, not ${describe(shadow)}`);
  }
  const limit = {
    ...pick(given, ["name", "onDenied", "maxDebt"]),
    ...limitOf(given, path, refuse),
    block: block === undefined ? undefined : blockOf(block, [...path, "block"], refuse),
    shadow,
  } as LimitOptions;
  const [policy] = checked(path, refuse, () => policiesOf(limit, "policy"));
  checked(path, refuse, () => checkInteger("policy", "cost", cost, 0, MAX_LIMIT));
  const subnet = ipv6Subnet as number | undefined;
  checked(path, refuse, () => clientKey({ ip: "::1" }, { ipv6Subnet: subnet }));
  const parts = (Array.isArray(key) ? key : [key]).map((part, i) =>
    keyPart(part, Array.isArray(key) ? [...path, "key", i] : [...path, "key"], refuse)
  );
  if (parts.length === 0) refuse([...path, "key"], ` must have at least one part; use "address"`);
  const patterns = texts(routes, [...path, "routes"], refuse)?.map((route, i) => {
    return routePattern(route) ?? refuse(
      [...path, "routes", i],
      ` must be a path such as "/users/:id" or "/api/*", with one name or star in a segment, not ${describe(route)}`,
    );
  });
  const named = texts(methods, [...path, "methods"], refuse)?.map((method, i) => {
    if (!TOKEN.test(method)) {
      refuse([...path, "methods", i], ` must be a method such as "GET", not ${describe(method)}`);
    }
    return asciiUpperCase(method);
  });
  // a GET handler also responds to HEAD, which would be a bypass
  const concerned = named?.includes("GET") ? [...named, "HEAD"] : named;
  const rule: Rule = {
    policy: policy!,
    limit,
    ipv6Subnet: subnet,
    shadow,
    cost: cost as number,
    tiers: tiersOf(tiers, policy!, [...path, "tiers"], refuse),
    fields: parts.flatMap(({ field }) => field === undefined ? [] : [field]),
    concerned: (method, spellings) => {
      if (concerned?.includes(method) === false) return [];
      if (patterns === undefined) return spellings;
      return spellings.filter((path) => patterns.some((pattern) => pattern.test(path)));
    },
    keyOf: (request, spellings) => {
      const values: string[] = [];
      for (const { read } of parts) {
        const value = read(request, rule, spellings);
        if (value === undefined || value === "") return undefined;
        values.push(value);
      }
      return values.length === 1 ? values[0]! : values.map(separable).join(" ");
    },
  };
  return rule;
}

// combinations of different parts must not produce equal keys
function separable(value: string): string {
  return value.replace(/[% ]/g, encodeURIComponent);
}

function tiersOf(tiers: unknown, usual: Policy, path: DocumentPath, refuse: Refuse): Map<string, OwnLimit | null> {
  if (!isObject(tiers)) return refuse(path, ` must be an object of tiers by name, not ${describe(tiers)}`);
  return new Map(
    Object.entries(tiers).map(([name, tier]) => {
      const at = [...path, name];
      if (tier === "unlimited") return [name, null];
      if (!isObject(tier)) {
        return refuse(at, ` must be "unlimited", or an object with settings of the tier, not ${describe(tier)}`);
      }
      checkDocumentNames(tier, at, LIMIT_NAMES, refuse);
      const own = limitOf(tier, at, refuse);
      checked(at, refuse, () => ownPolicy(usual, own, "policy"));
      return [name, own];
    }),
  );
}

/** The settings that policies and tiers share, under the names of the limiter's options. */
function limitOf({ window, limit, ...rest }: Record<string, unknown>, path: DocumentPath, refuse: Refuse): OwnLimit {
  const told: Record<string, unknown> = pick(rest, ["algorithm", "burst", "buckets", "align"]);
  if (limit !== undefined) told["limit"] = limit;
  if (window !== undefined) Object.assign(told, windowOf(window, [...path, "window"], refuse));
  return told;
}

// the limiter's own checks, with the document's names and paths
function checked<T>(path: DocumentPath, refuse: Refuse, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const [, option, rest] = /option ([\w.]+)(.*)$/s.exec((error as Error).message) ?? [];
    if (option === undefined) return refuse(path, `: ${(error as Error).message}`);
    return refuse([...path, ...OPTION_PATHS[option] ?? option.split(".")], rest!);
  }
}

function blockOf(block: unknown, path: DocumentPath, refuse: Refuse): object {
  if (!isObject(block)) {
    return refuse(path, ` must be an object such as { after: 10, for: "10m" }, not ${describe(block)}`);
  }
  checkDocumentNames(block, path, ["after", "for"], refuse);
  return { after: block.after, forMs: duration(block.for, [...path, "for"], refuse) };
}

/** A window length, or a calendar window. */
function windowOf(window: unknown, path: DocumentPath, refuse: Refuse): Record<string, unknown> {
  if (!isObject(window)) return { windowMs: duration(window, path, refuse) };
  checkDocumentNames(window, path, ["every", "timeZone", "startsOn"], refuse);
  return { window };
}

/** Parses a string such as `1m` or `90s`, or a number of ms. */
function duration(value: unknown, path: DocumentPath, refuse: Refuse): number {
  if (typeof value === "number") return value;
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(String(value)) ?? [];
  if (typeof value !== "string" || unit === undefined) {
    return refuse(
      path,
      ` must be a time such as "500ms", "90s", "1m", "1h" or "1d", or a number of ms, not ${describe(value)}`,
    );
  }
  // 1.1 minutes are not 66000.00000000001 ms
  return Number((Number(number) * UNITS[unit]!).toFixed(3));
}

/** Reads part of a key. */
interface PartReader {
  /** The field that the part needs. */
  readonly field?: string;
  read(request: RuleRequest, rule: Rule, spellings: readonly string[]): string | undefined;
}

function keyPart(part: unknown, path: DocumentPath, refuse: Refuse): PartReader {
  if (part === "address") return { read: (request, rule) => request.clientOf(rule) };
  if (!isObject(part) || Object.keys(part).length !== 1) {
    return refuse(
      path,
      ` must be "address", { header: name }, { field: name } or { path: number }, not ${describe(part)}`,
    );
  }
  checkDocumentNames(part, path, ["header", "field", "path"], refuse);
  if (part.path !== undefined) {
    const index = part.path as number;
    checked(path, refuse, () => checkInteger("policy", "path", index, 1, 100));
    return { read: (_request, _rule, spellings) => firstSegment(spellings, index) };
  }
  if (part.header !== undefined) {
    const name = textOf(part.header, [...path, "header"], refuse);
    if (!TOKEN.test(name)) refuse([...path, "header"], ` must be the name of a header, not ${describe(name)}`);
    return { read: (request) => request.header(name) };
  }
  const field = textOf(part.field, [...path, "field"], refuse);
  return { field, read: (request) => request.field(field) };
}

// the first spelling is the one sent; other spellings reveal segments hidden in encoded slashes
function firstSegment(spellings: readonly string[], index: number): string | undefined {
  for (const path of spellings) {
    const segment = segmentOf(path, index);
    if (segment) return segment;
  }
  return undefined;
}

function texts(value: unknown, path: DocumentPath, refuse: Refuse): string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) {
    return refuse(path, ` must be a list of strings, not ${describe(value)}`);
  }
  return value.map((one, i) => textOf(one, [...path, i], refuse));
}

function textOf(value: unknown, path: DocumentPath, refuse: Refuse): string {
  return typeof value === "string" && value !== "" ? value : refuse(path, ` must be a string, not ${describe(value)}`);
}

function checkDocumentNames(object: object, path: DocumentPath, names: readonly string[], refuse: Refuse): void {
  const unknown = Object.keys(object).find((name) => !names.includes(name));
  if (unknown !== undefined) refuse([...path, unknown], ` is not known; there are ${names.join(", ")}`);
}

function pick(object: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => object[name] === undefined ? [] : [[name, object[name]]]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Formats a path for messages: `policies[0].limit`. */
export function pathText(path: DocumentPath): string {
  return path.map((part, i) => typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`).join("");
}
