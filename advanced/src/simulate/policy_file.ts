import { checkInteger, describe } from "@sluice/limiting/core";
import { clientKey } from "@sluice/limiting";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import type { LimitOptions } from "../limiter/limiter_options.ts";
import { policiesOf } from "../limiter/limiter_options.ts";
import type { Policy } from "../policy/policy.ts";
import type { LoggedRequest } from "./log_record.ts";
import { FIELD_NAMES, type RequestFields } from "./request_fields.ts";

/** A policy that is tried on a log. */
export interface TriedPolicy {
  /** The policy itself. */
  readonly policy: Policy;
  /** Whether it only counts and reports. */
  readonly shadow: boolean;
  /** Units that a request of an access log costs. */
  readonly cost: number;
  /** Whether it concerns a request. */
  applies(request: LoggedRequest): boolean;
  /** Key of a request, `undefined` if the request has none. */
  keyOf(request: LoggedRequest): string | undefined;
}

/** A policies file. */
export interface PolicyFile {
  /** The policies, in the order in which a request meets them. */
  readonly policies: readonly TriedPolicy[];
  /** Where logs of JSON or CSV have time, address, method and path. */
  readonly fields: RequestFields;
}

/** A mistake in a policies file; its message begins with file, line and column. */
export class PolicyFileError extends Error {
  /** Whose it is. */
  override readonly name = "PolicyFileError";
}

/** Where in the file something is: names and numbers, from the top. */
type Path = readonly (string | number)[];

/** Refuses what is at a path. */
type Refuse = (path: Path, message: string) => never;

const FILE_NAMES = ["fields", "policies"];
const POLICY_NAMES = [
  ...["name", "key", "ipv6Subnet", "routes", "methods", "algorithm", "window", "limit", "burst", "buckets", "align"],
  ...["onDenied", "block", "shadow", "cost"],
];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** What the limiter's options are called here. */
const OPTION_PATHS: Readonly<Record<string, Path>> = {
  max: ["limit"],
  windowMs: ["window"],
  "block.after": ["block", "after"],
  "block.forMs": ["block", "for"],
};

/**
 * Reads a policies file, in YAML or JSON.
 *
 * @param text What is in it
 * @param name Its name, for messages
 * @throws {PolicyFileError} If anything in it is wrong
 */
export function readPolicyFile(text: string, name: string): PolicyFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    throw new PolicyFileError(`${at(mistake.pos[0])}: ${mistake.message.split("\n")[0]!.replace(/ at line .*$/, "")}`);
  }
  const refuse: Refuse = (path, message) => {
    throw new PolicyFileError(`${at(offsetOf(document, path))}: ${shown(path)}${message}`);
  };
  const content: unknown = document.toJS();
  if (!isObject(content)) refuse([], `the file must have policies, not ${describe(content)}`);
  const { policies, fields } = content as Record<string, unknown>;
  checkFileNames(content as object, [], FILE_NAMES, refuse);
  if (!Array.isArray(policies) || policies.length === 0) {
    return refuse(["policies"], ` must be a list of at least one policy, not ${describe(policies)}`);
  }
  const tried = policies.map((policy, i) => triedPolicy(policy, ["policies", i], refuse));
  const names = tried.map(({ policy }) => policy.name);
  const twice = names.findIndex((one, i) => names.indexOf(one) !== i);
  if (twice >= 0) refuse(["policies", twice, "name"], ` is the name of another policy, too: "${names[twice]}"`);
  return { policies: tried, fields: requestFields(fields, refuse) };
}

function requestFields(fields: unknown, refuse: Refuse): RequestFields {
  if (fields === undefined) return {};
  if (!isObject(fields)) return refuse(["fields"], ` must name fields of the log, not ${describe(fields)}`);
  checkFileNames(fields, ["fields"], FIELD_NAMES, refuse);
  for (const [name, value] of Object.entries(fields)) nameOf(value, ["fields", name], refuse);
  return fields as RequestFields;
}

function triedPolicy(given: unknown, path: Path, refuse: Refuse): TriedPolicy {
  if (!isObject(given)) return refuse(path, ` must be a policy, not ${describe(given)}`);
  checkFileNames(given, path, POLICY_NAMES, refuse);
  const { key = "address", ipv6Subnet, routes, methods, window, limit, block, shadow = false, cost = 1 } = given;
  if (given.algorithm === "concurrency") {
    refuse(
      [...path, "algorithm"],
      ' "concurrency" counts what is in progress, and logs do not say for how long; try another',
    );
  }
  if (limit === undefined) refuse(path, " needs a limit: units per window");
  if (window === undefined) refuse(path, ' needs a window, such as "1m"');
  if (typeof shadow !== "boolean") refuse([...path, "shadow"], ` must be true or false, not ${describe(shadow)}`);
  const options = {
    ...pick(given, ["name", "algorithm", "burst", "buckets", "align", "onDenied"]),
    max: limit,
    ...windowOf(window, [...path, "window"], refuse),
    block: isObject(block) ? blockOf(block, [...path, "block"], refuse) : block,
  } as LimitOptions;
  const [policy] = checked(path, refuse, () => policiesOf(options, "policy"));
  checked(path, refuse, () => checkInteger("policy", "cost", cost, 0, 2 ** 31));
  const subnet = ipv6Subnet as number | undefined;
  checked(path, refuse, () => clientKey({ ip: "::1" }, { ipv6Subnet: subnet }));
  const parts = (Array.isArray(key) ? key : [key]).map((part, i) =>
    keyPart(part, Array.isArray(key) ? [...path, "key", i] : [...path, "key"], subnet, refuse)
  );
  if (parts.length === 0) refuse([...path, "key"], ` must have at least one part; say "address"`);
  const patterns = texts(routes, [...path, "routes"], refuse)?.map((route, i) =>
    patternOf(route, [...path, "routes", i], refuse)
  );
  const named = texts(methods, [...path, "methods"], refuse)?.map((method) => method.toUpperCase());
  return {
    policy: policy!,
    shadow: shadow as boolean,
    cost: cost as number,
    applies: ({ method, path }) =>
      (named === undefined || named.includes(method)) &&
      (patterns === undefined || patterns.some((pattern) => pattern.test(path))),
    keyOf: parts.length === 1 ? parts[0]! : (request) => {
      const values = parts.map((part) => part(request));
      return values.includes(undefined) ? undefined : values.join(" ");
    },
  };
}

// the limiter's own checks, with the names and at the places of the file
function checked<T>(path: Path, refuse: Refuse, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const [, option, rest] = /option ([\w.]+)(.*)$/s.exec((error as Error).message) ?? [];
    if (option === undefined) return refuse(path, `: ${(error as Error).message}`);
    return refuse([...path, ...OPTION_PATHS[option] ?? option.split(".")], rest!);
  }
}

function blockOf(block: Record<string, unknown>, path: Path, refuse: Refuse): { after: unknown; forMs: unknown } {
  checkFileNames(block, path, ["after", "for"], refuse);
  return { after: block.after, forMs: duration(block.for, [...path, "for"], refuse) };
}

/** A length, or a window of the calendar. */
function windowOf(window: unknown, path: Path, refuse: Refuse): Record<string, unknown> {
  if (!isObject(window)) return { windowMs: duration(window, path, refuse) };
  checkFileNames(window, path, ["every", "timeZone", "startsOn"], refuse);
  return { window };
}

/** ms of a text such as `1m` or `90s`, or of a number of ms. */
function duration(value: unknown, path: Path, refuse: Refuse): number {
  if (typeof value === "number") return value;
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(String(value)) ?? [];
  if (typeof value !== "string" || unit === undefined) {
    return refuse(
      path,
      ` must be a time such as "500ms", "90s", "1m", "1h" or "1d", or a number of ms, not ${describe(value)}`,
    );
  }
  return Number(number) * UNITS[unit]!;
}

function keyPart(
  part: unknown,
  path: Path,
  ipv6Subnet: number | undefined,
  refuse: Refuse,
): (request: LoggedRequest) => string | undefined {
  const options = ipv6Subnet === undefined ? undefined : { ipv6Subnet };
  if (part === "address") return ({ address }) => address === "" ? undefined : clientKey({ ip: address }, options);
  if (!isObject(part) || Object.keys(part).length !== 1) {
    return refuse(
      path,
      ` must be "address", { header: name }, { field: name } or { path: number }, not ${describe(part)}`,
    );
  }
  checkFileNames(part, path, ["header", "field", "path"], refuse);
  if (part.path !== undefined) {
    const index = part.path;
    checked(path, refuse, () => checkInteger("policy", "path", index, 1, 100));
    return ({ path }) => path.split("/", (index as number) + 1)[index as number] || undefined;
  }
  const kind = part.header === undefined ? "field" : "header";
  const name = nameOf(part[kind], [...path, kind], refuse);
  return (request) => request.field(name) || undefined;
}

/** `/users/:id` and `/api/*`, as in Express: without regard to capitals and to a slash at the end. */
function patternOf(route: string, path: Path, refuse: Refuse): RegExp {
  if (!/^\/[^\s?#()[\]{}]*$/.test(route)) {
    refuse(path, ` must be a path such as "/users/:id" or "/api/*", not ${describe(route)}`);
  }
  const parts = route.replace(/\/+$/, "").split("/").slice(1).map((part) => {
    if (part === "*") return "(?:/.*)?";
    return `/${part.replace(/[.+^$|\\]/g, "\\$&").replace(/:\w+/g, "[^/]+").replaceAll("*", "[^/]*")}`;
  });
  return new RegExp(`^${parts.join("")}/?$`, "i");
}

function texts(value: unknown, path: Path, refuse: Refuse): string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) {
    return refuse(path, ` must be a list of texts, not ${describe(value)}`);
  }
  return value.map((one, i) => nameOf(one, [...path, i], refuse));
}

function nameOf(value: unknown, path: Path, refuse: Refuse): string {
  return typeof value === "string" && value !== "" ? value : refuse(path, ` must be a text, not ${describe(value)}`);
}

function checkFileNames(object: object, path: Path, names: readonly string[], refuse: Refuse): void {
  const unknown = Object.keys(object).find((name) => !names.includes(name));
  if (unknown !== undefined) refuse([...path, unknown], ` is not known; there are ${names.join(", ")}`);
}

function pick(object: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => object[name] === undefined ? [] : [[name, object[name]]]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(path: Path): string {
  return path.map((part, i) => typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`).join("");
}

/** Where something is in the text: the value, or for a name that is not known the name; else what it is missing in. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown = document.getIn(path.slice(0, length - 1), true) ?? document.contents;
    const last = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => (isScalar(key) ? key.value : key) === last);
      if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0];
      continue;
    }
    const node = document.getIn(path.slice(0, length), true) as { range?: readonly number[] } | undefined;
    if (node?.range) return node.range[0]!;
  }
  return 0;
}
