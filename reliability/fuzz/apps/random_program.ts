/**
 * Random applications and requests to them. Applications and routers are nested, with settings, body parsers, parameter
 * handlers, error handlers, and handlers that rewrite, wait, fail and respond in every way.
 */
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { oneOf, type Pick } from "../../../tests/support/random.ts";

/** A handler's action, with its argument. */
export type Deed = readonly [does: string, to: string];

export interface Registration {
  readonly name: string;
  readonly as: string;
  /** Its path; for a parameter handler, the parameter's name. */
  readonly path: Any;
  readonly verb: string;
  readonly deeds: readonly Deed[];
  readonly inner: Program | null;
}

/** An application or a router, as a plain value. */
export interface Program {
  readonly isApp: boolean;
  readonly options: Readonly<Record<string, boolean>>;
  readonly settings: readonly (readonly [name: string, value: unknown])[];
  readonly registrations: readonly Registration[];
}

const PATHS: readonly Any[] = [
  ...[
    "/",
    "/a",
    "/b",
    "/a/b",
    "/:x",
    "/:x/:y",
    "/a{/:o}",
    "{/:o}",
    "/*rest",
    "/a/*rest",
    "/:x.:y",
    "/x-:y",
    "/A",
    "/a/",
  ],
  ...[/^\/a/, /^\/(?<n>[ab])(?=\/|$)/, ["/b", /^\/a/], ["/c", "/:y"]],
];
const SEGMENTS = ["a", "b", "a", "b", "A", "c", "x%20y", "a.b", "x-a", "a%2Fb"];
const SETTINGS: Program["settings"] = [
  ...[["etag", false], ["etag", "strong"], ["json spaces", 1], ["query parser", "extended"]] as const,
  ...[["trust proxy", true], ["subdomain offset", 0], ["strict routing", true], ["query parser", false]] as const,
  ...[["case sensitive routing", true], ["json escape", true]] as const,
];
const METHODS = ["GET", "GET", "GET", "POST", "POST", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"];
const COMMON = ["next", "next", "next", "next", "next", "answer", "send"];
const RARE = [
  ...[
    "route",
    "router",
    "throw",
    "throw nothing",
    "throw value",
    "pass",
    "pass text",
    "pass status",
    "pass falsy",
    "pass list",
  ],
  ...["reject", "async throw", "async next", "async answer", "later", "sendStatus", "json", "format", "redirect"],
  ...["url", "method", "status", "locals", "cookie", "headers", "own router"],
];
const LAYERS = ["use", "verb", "verb", "route", "guarded", "catch", "param", "parse", "parse", "enter"];
const PARSERS = ["json", "json", "urlencoded", "text"];
/** Request bodies and their content types. */
const BODIES: readonly (readonly [type: string | null, body: string | null])[] = [
  ...[[null, null], ["application/json", null], ["application/json", '{"a":[1]}'], ["application/json", "{"]] as const,
  ...[["application/x-www-form-urlencoded", "a=1&b=2"], ["application/x-www-form-urlencoded", "=1&[a]=%E9&a&a=2"], [
    "text/plain",
    "text",
  ], ["text/plain", null]] as const,
];

/** A path that some patterns match, sometimes with a query. */
export function randomPath(pick: Pick): string {
  const path = `/${Array.from({ length: pick(4) }, () => oneOf(pick, SEGMENTS)).join("/")}`;
  return path + oneOf(pick, ["", "", "", "/", "?q=1", "?a[b]=1&a[c]=2", "?"]).slice(path === "/" ? 0 : undefined);
}

function randomDeed(pick: Pick): Deed {
  const does = oneOf(pick, pick(3) === 0 ? RARE : COMMON);
  return [does, does === "url" ? randomPath(pick) : oneOf(pick, METHODS)];
}

/** Makes a random application or router, with nested ones inside. */
export function randomProgram(pick: Pick, depth: number, isApp: boolean): Program {
  const sometimes = (name: string) => pick(4) === 0 ? { [name]: true } : {};
  const options = { ...sometimes("mergeParams"), ...sometimes("strict"), ...sometimes("caseSensitive") };
  const settings = isApp ? Array.from({ length: pick(3) }, () => oneOf(pick, SETTINGS)) : [];
  const registrations = Array.from({ length: 4 + pick(4) }, (_, i): Registration => {
    const as = oneOf(pick, [...LAYERS, ...(depth > 0 ? ["mount", "mount", "mount twice"] : [])]);
    const path = as === "param" ? oneOf(pick, ["x", "x", "y"]) : pick(3) === 0 ? "/" : oneOf(pick, PATHS);
    // the index distinguishes names within a list, the number names in different lists
    const common = { name: `${as}${i}.${pick(10_000)}`, as, path };
    const verb = as === "parse" ? oneOf(pick, PARSERS) : oneOf(pick, ["get", "get", "post", "put", "delete", "all"]);
    const deeds = Array.from({ length: 1 + pick(2) }, () => randomDeed(pick));
    // in a router, Express keeps the settings from an application that has passed a request on
    const inner = as.startsWith("mount") ? randomProgram(pick, depth - 1, isApp && pick(2) === 0) : null;
    return { ...common, verb, deeds, inner };
  });
  return { isApp, options, settings, registrations };
}

/** A request to such an application. */
export interface Ask {
  readonly path: string;
  readonly method: string;
  readonly type: string | null;
  readonly body: string | null;
}

/** Makes random requests to an application. */
export function randomAsks(pick: Pick, program: Program, count: number): Ask[] {
  // Express also lets HEAD into routes for other methods, where only their parameter handlers run
  const methods = hasParams(program) ? METHODS.slice(0, -1) : METHODS;
  return Array.from({ length: count }, () => {
    const method = oneOf(pick, methods);
    const [type, body] = ["POST", "PUT", "DELETE"].includes(method) ? oneOf(pick, BODIES) : [null, null];
    return { path: randomPath(pick), method, type, body };
  });
}

function hasParams({ registrations }: Program): boolean {
  return registrations.some(({ as, inner }) => as === "param" || (inner !== null && hasParams(inner)));
}

/** A path in Express 4's syntax. In a list, Express 4 also applies one path's flags and parameters to the others. */
function path4(path: Any): Any {
  if (Array.isArray(path)) return path4(path[0]);
  if (path instanceof RegExp) return path;
  return path.replace(/\{\/:(\w+)\}/g, "/:$1?").replace(/\*\w+/g, "*");
}

// if a dot ends what a RegExp mounts, Express 4 adds a slash to the base URL below, and omits one from assigned URLs
function endingSegment(path: Any, { inner, deeds }: Registration): Any {
  const isPlain = inner === null && !deeds.some(([does]) => does === "url");
  return isPlain || !(path instanceof RegExp) ? path : new RegExp(`${path.source}(?=\\/|$)`);
}

/** What Express 4 does not catch. */
const UNCAUGHT = ["reject", "async throw"];

/** The same program for Express 4, except for features that Express 4 lacks. */
export function inExpress4(program: Program): Program {
  const registrations = program.registrations.map((one): Registration => ({
    ...one,
    path: one.as === "param" ? one.path : endingSegment(path4(one.path), one),
    deeds: one.deeds.map(([does, to]): Deed => [UNCAUGHT.includes(does) ? "pass" : does, to]),
    inner: one.inner && inExpress4(one.inner),
  }));
  return { ...program, registrations };
}

/** A program as JSON, with regular expressions as objects. */
export function writeProgram(program: Program): string {
  return JSON.stringify(program, (_, value) => value instanceof RegExp ? { regExp: value.source } : value);
}

/** Parses it again. */
export function readProgram(text: string): Program {
  return JSON.parse(text, (_, value) => typeof value?.regExp === "string" ? new RegExp(value.regExp) : value);
}
