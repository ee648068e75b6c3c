/**
 * Random nested routers, on Sluice and on Express's own router. On both routers, the same handlers must run, see the
 * same request, and end it the same way.
 */
import { assert, assertEquals } from "@std/assert";
import express from "express";
import { Router } from "@sluice/sluice";
import { quietApp } from "../support/app.ts";
import type { Any } from "../support/sluice_and_express.ts";
import { oneOf, type Pick, random } from "../support/random.ts";

/** A handler's action once it has recorded the request. */
interface Action {
  readonly does: "next" | "answer" | "route" | "router" | "throw" | "error" | "reject" | "later" | "url" | "method";
  readonly to: string;
}

/** One registration, in a form for both libraries. */
interface Registration {
  readonly name: string;
  readonly as: "use" | "catch" | "route" | "mount" | "param";
  readonly path: Any;
  readonly method: string;
  readonly actions: readonly Action[];
  readonly router: Program | null;
}

interface Program {
  readonly options: { mergeParams: boolean; strict: boolean; caseSensitive: boolean };
  readonly registrations: Registration[];
}

const MOUNTS: readonly Any[] = ["/", "", "/a", "/b", "/a/b", "/A", "/a/", "/:x", ["/a", "/:y"], /^\/a/, "/*rest"];
const LITERAL_MOUNTS = 7;
const PATHS: readonly Any[] = ["/", "/a", "/b", "/a/b", "/:x", "/:x/b", "/a/:y", "/*rest", "/a/", /^\/b$/, "/a{/:o}"];
const SEGMENTS = ["a", "b", "a", "b", "A", "c", "", "x%20y"];
// Express also lets HEAD into routes for other methods, where only their parameter handlers run
const METHODS = ["GET", "GET", "GET", "POST", "OPTIONS"];
const COMMON: readonly Action["does"][] = ["next", "next", "next", "next", "answer"];
const RARE: readonly Action["does"][] = ["route", "router", "throw", "error", "reject", "later", "url", "method"];

function randomPath(pick: Pick, all: readonly string[] = SEGMENTS): string {
  const segments = Array.from({ length: pick(6) }, () => oneOf(pick, all));
  // Express ignores a second slash only at the end, and only if nothing else precedes it
  const path = `/${segments.join("/")}`.replace(/\/{2,}$/, "/");
  return pick(4) === 0 ? `${path}?q=1` : path;
}

function randomAction(pick: Pick): Action {
  const does = oneOf(pick, pick(3) === 0 ? RARE : COMMON);
  return { does, to: does === "url" ? randomPath(pick) : does === "method" ? oneOf(pick, METHODS) : "" };
}

function randomProgram(pick: Pick, depth: number, methods: readonly string[], known: Program[] = []): Program {
  const options = { mergeParams: pick(3) === 0, strict: pick(6) === 0, caseSensitive: pick(8) === 0 };
  const registrations = Array.from({ length: 3 + pick(4) }, (_, i): Registration => {
    const as = oneOf(pick, ["use", "use", "catch", "route", "route", "mount", "mount", "mount", "param"] as const);
    const common = { name: `${depth}${as}${i}.${pick(1000)}`, method: oneOf(pick, methods) };
    const actions = Array.from({ length: as === "route" ? 1 + pick(3) : 1 }, () => randomAction(pick));
    const mounts = as === "mount" && depth > 0;
    const path = as === "route"
      ? oneOf(pick, PATHS)
      : pick(4) === 0
      ? oneOf(pick, MOUNTS)
      : MOUNTS[pick(LITERAL_MOUNTS)];
    const router = !mounts
      ? null
      : known.length > 0 && pick(5) === 0
      ? oneOf(pick, known)
      : randomProgram(pick, depth - 1, methods, known);
    return { ...common, as: as === "mount" && !mounts ? "use" : as, path, actions, router };
  });
  const program = { options, registrations };
  known.push(program);
  return program;
}

/** Builds the program on a router from either library. */
function build(program: Program, target: Any, lib: Any, log: Any[], built = new Map<Program, Any>()): Any {
  for (const { name, as, path, method, actions, router } of program.registrations) {
    const handlers = actions.map((action, i) => handler(`${name}/${i}`, action, log));
    if (as === "use") target.use(path, ...handlers);
    else if (as === "route") target[method](path, ...handlers);
    else if (as === "catch") target.use(path, catching(name, actions[0]!, log));
    else if (as === "param") {
      target.param("x", (req: Any, _res: Any, next: Any, value: string) => {
        note(log, name, req, value);
        next();
      });
    } else {
      const inner = built.get(router!) ?? build(router!, lib(router!.options), lib, log, built);
      built.set(router!, inner);
      target.use(path, inner);
    }
  }
  return target;
}

function note(log: Any[], name: string, req: Any, extra: unknown): void {
  const { url, baseUrl, originalUrl, method } = req;
  const route = String(req.route?.path);
  log.push({ name, url, baseUrl, originalUrl, method, params: { ...req.params }, route, extra });
}

function handler(name: string, action: Action, log: Any[]): Any {
  return (req: Any, res: Any, next: Any) => {
    note(log, name, req, null);
    return act(name, action, req, res, next);
  };
}

function catching(name: string, action: Action, log: Any[]): Any {
  return (error: Any, req: Any, res: Any, next: Any) => {
    note(log, name, req, error.message);
    if (action.does === "next") return next(error);
    return act(name, action, req, res, next);
  };
}

function act(name: string, { does, to }: Action, req: Any, res: Any, next: Any): unknown {
  if (does === "answer") return void res.end(name);
  if (does === "route" || does === "router") return next(does);
  if (does === "throw") throw new Error(`${name} threw`);
  if (does === "error") return next(new Error(`${name} passed on`));
  if (does === "reject") return Promise.reject(new Error(`${name} rejected`));
  if (does === "later") return void queueMicrotask(() => next());
  // if a mount stripped the whole path, Express cannot distinguish an assigned slash from the one it added itself
  const whole = req.url === "/" || req.url.startsWith("/?");
  if (does === "url" && !whole) req.url = to;
  if (does === "method") req.method = to;
  return next();
}

interface Ended {
  readonly log: Any[];
  readonly body: string;
}

async function askSluice(program: Program, asks: Asks): Promise<Ended[]> {
  const log: Any[] = [];
  const { caseSensitive, strict } = program.options;
  const app = quietApp().set("case sensitive routing", caseSensitive).set("strict routing", strict);
  build(program, app, Router, log);
  // if no handler responds
  app.use((_req: Any, res: Any) => res.end("nobody"));
  app.use((error: Any, _req: Any, res: Any, _next: Any) => res.end(`error: ${error.message}`));
  const ended: Ended[] = [];
  for (const [method, path] of asks) {
    log.length = 0;
    const url = `http://localhost${path}`;
    const request = new Request("http://localhost/", { method });
    // a Request would resolve the path
    Object.defineProperty(request, "url", { value: url });
    const response = await app.fetch(request);
    const body = await response.text();
    // next("router") in the application's own handlers exits the application
    ended.push({ log: [...log], body: response.status === 404 ? "left" : body });
  }
  return ended;
}

type Asks = readonly (readonly [method: string, path: string])[];

/** Calls a router from either library with plain objects, as Node's server would. */
async function askRouter(program: Program, lib: Any, asks: Asks): Promise<Ended[]> {
  const log: Any[] = [];
  const root = build(program, lib(program.options), lib, log);
  root.use((_req: Any, res: Any) => res.end("nobody"));
  root.use((error: Any, _req: Any, res: Any, _next: Any) => res.end(`error: ${error.message}`));
  const ended: Ended[] = [];
  for (const [method, path] of asks) {
    log.length = 0;
    const body = await new Promise<string>((resolve) => {
      const res = { setHeader() {}, end: resolve };
      root({ method, url: path, originalUrl: path, headers: {} }, res, () => resolve("left"));
    });
    ended.push({ log: [...log], body });
  }
  return ended;
}

async function compare(rounds: number, methods: readonly string[], broken: boolean): Promise<void> {
  let handlers = 0;
  let deep = 0;
  for (let seed = 1; seed <= rounds; seed++) {
    const pick = random(seed);
    const program = randomProgram(pick, 4, methods);
    const segments = broken ? [...SEGMENTS, "%zz"] : SEGMENTS;
    const asks: Asks = Array.from({ length: 40 }, () => [oneOf(pick, METHODS), randomPath(pick, segments)]);
    const theirs = await askRouter(program, (express as Any).Router, asks);
    const [ours, foreign] = [await askSluice(program, asks), await askRouter(program, Router, asks)];
    for (const [i, ask] of asks.entries()) {
      assertEquals(ours[i], theirs[i], `seed ${seed}, ${ask.join(" ")}`);
      assertEquals(foreign[i], theirs[i], `seed ${seed}, ${ask.join(" ")}, with a plain request`);
    }
    handlers += theirs.reduce((sum, { log }) => sum + log.length, 0);
    deep += theirs.reduce((sum, { log }) => sum + log.filter(({ baseUrl }) => baseUrl.split("/").length > 3).length, 0);
  }
  // the random programs must run enough handlers
  assert(handlers > 30 * rounds, `${handlers} handlers ran`);
  assert(deep > rounds, `${deep} of them below three mounts`);
}

const ROUNDS = Number(Deno.env.get("SLUICE_ROUTER_ROUNDS") ?? 150);

Deno.test("nested routers run the handlers that Express's router runs, with the same view of the request", async () => {
  await compare(ROUNDS, ["get", "get", "post", "all"], false);
});

// Express also looks for parameters in routes for other methods, so here every route has all of them
Deno.test("broken escapes in nested routers are refused where Express's router refuses them", async () => {
  await compare(ROUNDS, ["all"], true);
});
