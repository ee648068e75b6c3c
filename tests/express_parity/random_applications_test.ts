/**
 * Random applications, on Sluice and on Express, over sockets: applications and routers in each other, with settings,
 * parameter handlers, error handlers, and handlers that rewrite, wait, fail and answer in every way. The handlers that
 * run, what each sees, and what the client gets must be the same.
 */
import { varyOf } from "../support/page_vary.ts";
import { assert, assertEquals } from "@std/assert";
import { type Any, serveBoth } from "../support/both.ts";
import { oneOf, type Pick, random } from "../support/random.ts";

/** What a handler does, with the text that it needs. */
type Deed = readonly [does: string, to: string];

interface Registration {
  readonly name: string;
  readonly as: string;
  readonly path: Any;
  readonly verb: string;
  readonly deeds: readonly Deed[];
  readonly inner: Program | null;
}

interface Program {
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
  ...[["trust proxy", true], ["subdomain offset", 0], ["strict routing", true], [
    "case sensitive routing",
    true,
  ]] as const,
];
const METHODS = ["GET", "GET", "GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"];
const COMMON = ["next", "next", "next", "next", "next", "answer", "send"];
const RARE = [
  ...["route", "router", "throw", "throw nothing", "pass", "pass text", "pass status", "reject", "async next"],
  ...["async throw", "later", "sendStatus", "redirect", "url", "method", "status", "locals", "own router"],
];

function randomPath(pick: Pick): string {
  const path = `/${Array.from({ length: pick(4) }, () => oneOf(pick, SEGMENTS)).join("/")}`;
  return path + oneOf(pick, ["", "", "", "/", "?q=1", "?a[b]=1&a[c]=2", "?"]).slice(path === "/" ? 0 : undefined);
}

function randomDeed(pick: Pick): Deed {
  const does = oneOf(pick, pick(3) === 0 ? RARE : COMMON);
  return [does, does === "url" ? randomPath(pick) : oneOf(pick, METHODS)];
}

function randomProgram(pick: Pick, depth: number, isApp: boolean): Program {
  const sometimes = (name: string) => pick(4) === 0 ? { [name]: true } : {};
  const options = { ...sometimes("mergeParams"), ...sometimes("strict"), ...sometimes("caseSensitive") };
  const settings = isApp ? Array.from({ length: pick(3) }, () => oneOf(pick, SETTINGS)) : [];
  const registrations = Array.from({ length: 4 + pick(4) }, (_, i): Registration => {
    const as = oneOf(pick, [
      "use",
      "verb",
      "verb",
      "route",
      "catch",
      "param",
      ...(depth > 0 ? ["mount", "mount"] : []),
    ]);
    // the index keeps the names of one list apart, the number those of different lists
    const common = { name: `${as}${i}.${pick(10_000)}`, as, path: pick(3) === 0 ? "/" : oneOf(pick, PATHS) };
    const verb = oneOf(pick, ["get", "get", "post", "put", "delete", "all"]);
    const deeds = Array.from({ length: 1 + pick(2) }, () => randomDeed(pick));
    // in a router, Express leaves the settings of an application in place that has passed a request on
    const inner = as === "mount" ? randomProgram(pick, depth - 1, isApp && pick(2) === 0) : null;
    return { ...common, verb, deeds, inner };
  });
  return { isApp, options, settings, registrations };
}

function build({ isApp, options, settings, registrations }: Program, lib: Any, log: Any[]): Any {
  const target = isApp ? lib() : lib.Router(options);
  if (isApp) target.set("env", "test").disable("x-powered-by");
  for (const [name, value] of settings) target.set(name, value);
  for (const { name, as, path, verb, deeds, inner } of registrations) {
    const handlers = deeds.map((deed, i) => (req: Any, res: Any, next: Any) => {
      note(log, `${name}/${i}`, req, res, null);
      return act(name, deed, req, res, next, lib);
    });
    if (as === "use") target.use(path, handlers);
    else if (as === "verb") target[verb](path, ...handlers);
    else if (as === "route") target.route(path).get(handlers).all(handlers[0]);
    else if (as === "mount") target.use(path, build(inner!, lib, log));
    else if (as === "catch") {
      target.use(path, (error: Any, req: Any, res: Any, next: Any) => {
        note(log, name, req, res, String(error?.message ?? error));
        return deeds[0]![0] === "next" ? next(error) : act(name, deeds[0]!, req, res, next, lib);
      });
    } else {
      target.param("x", (req: Any, res: Any, next: Any, value: string) => {
        note(log, name, req, res, value);
        // Express has already matched the layer, and cuts a URL that is assigned here at the old mount
        return ["url", "method"].includes(deeds[0]![0]) ? next() : act(name, deeds[0]!, req, res, next, lib);
      });
    }
  }
  return target;
}

function note(log: Any[], name: string, req: Any, res: Any, extra: unknown): void {
  const { url, baseUrl, originalUrl, path, method, query, protocol, subdomains, ips } = req;
  // Express has tried routes of all methods for HEAD
  const route = req.get("x-asked") === "HEAD" ? null : String(req.route?.path);
  const shown = { url, baseUrl, originalUrl, path, method, query, protocol, subdomains, ips, route };
  const own = [req.res === res, res.req === req, req.app === res.app, req.app.get("json spaces") ?? null];
  log.push({
    name,
    ...shown,
    params: { ...req.params },
    locals: { ...res.locals },
    status: res.statusCode,
    own,
    extra,
  });
}

function act(name: string, [does, to]: Deed, req: Any, res: Any, next: Any, lib: Any): unknown {
  const error = new Error(`${name} failed`);
  if (does === "answer") return void res.end(name);
  if (does === "send") return res.send(name.length % 2 ? name : { name });
  if (does === "sendStatus") return res.sendStatus(to === "GET" ? 202 : 404);
  if (does === "redirect") return res.redirect("../x");
  if (does === "route" || does === "router") return next(does);
  if (does === "throw") throw error;
  if (does === "throw nothing") throw undefined;
  if (does === "pass") return next(error);
  if (does === "pass text") return next("text");
  if (does === "pass status") return next(Object.assign(error, { status: 418, headers: { "X-Error": name } }));
  if (does === "reject") return Promise.reject(error);
  if (does === "async throw") return Promise.resolve().then(() => Promise.reject());
  if (does === "async next") return Promise.resolve().then(() => next());
  if (does === "later") return void setTimeout(next, 0);
  if (does === "own router") return lib.Router().get("/:z", (q: Any, s: Any) => s.end(q.params.z))(req, res, next);
  // if a mount stripped the whole path, Express cannot tell an assigned slash from the one it added itself
  if (does === "url" && !/^\/(\?|$)/.test(req.url)) req.url = to;
  if (does === "method") req.method = to === "HEAD" ? "GET" : to;
  if (does === "status") res.status(409);
  if (does === "locals") res.locals[name] = to;
  return next();
}

interface Ask {
  readonly index: number;
  readonly path: string;
  readonly method: string;
}

async function seenBy(origin: string, { index, path, method }: Ask): Promise<unknown> {
  const headers = {
    "x-index": String(index),
    "x-asked": method,
    "x-forwarded-for": "1.2.3.4",
    "x-forwarded-proto": "https",
  };
  const response = await fetch(origin + path, {
    method,
    headers: { ...headers, accept: "text/html" },
    redirect: "manual",
  });
  // the stack of an error is not the same
  const body = (await response.text()).replace(/<br> &nbsp; &nbsp;at [^]*<\/pre>/, "</pre>");
  const shown = ["content-type", "etag", "location", "vary", "allow", "x-error"];
  const policy = response.headers.get("content-security-policy");
  const values = shown.map((name) => response.headers.get(name));
  return [response.status, values.map((value, i) => shown[i] === "vary" ? varyOf(value, policy) : value), body];
}

const ROUNDS = Number(Deno.env.get("SLUICE_APPLICATION_ROUNDS") ?? 200);

function hasParams({ registrations }: Program): boolean {
  return registrations.some(({ as, inner }) => as === "param" || (inner !== null && hasParams(inner)));
}

Deno.test("random applications run the same handlers, with the same view of the request, and answer as on Express", async () => {
  const pick = random(3);
  const programs = Array.from({ length: ROUNDS }, () => randomProgram(pick, 3, true));
  const asks = programs.flatMap((program, index) => {
    // Express lets HEAD into routes of other methods too, where only their parameter handlers run
    const methods = hasParams(program) ? METHODS.slice(0, -1) : METHODS;
    return Array.from({ length: 8 }, (): Ask => ({ index, path: randomPath(pick), method: oneOf(pick, methods) }));
  });
  const logs: Any[][] = [];
  const [ours, theirs] = await serveBoth((app, lib) => {
    const log: Any[] = [];
    logs.push(log);
    const apps = programs.map((program) => build(program, lib, log));
    app.use((req: Any, res: Any, next: Any) => {
      log.push(req.headers["x-index"]);
      apps[req.headers["x-index"]](req, res, next);
    });
  }, async (origin) => {
    const seen: unknown[] = [];
    for (const one of asks) seen.push(await seenBy(origin, one));
    return seen;
  });
  const [ourLog, theirLog] = logs.map((log) => byRequest(log));
  for (const [i, ask] of asks.entries()) {
    const about = `${Deno.inspect(ask)} of ${Deno.inspect(programs[ask.index], { depth: 12 })}`;
    assertEquals([ourLog![i], ours[i]], [theirLog![i], theirs[i]], about);
  }
  assert(logs[1]!.length > 2 * asks.length, `${logs[1]!.length - asks.length} handlers ran`);
});

function byRequest(log: readonly unknown[]): unknown[][] {
  const lists: unknown[][] = [];
  for (const one of log) typeof one === "string" ? lists.push([]) : lists.at(-1)!.push(one);
  return lists;
}
