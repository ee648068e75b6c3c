/** Builds the applications of `random_program.ts` with Sluice or Express, whose handlers note what they see. */
import express from "express";
import { varyOf } from "../../../tests/support/page_vary.ts";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import type { Ask, Deed, Program } from "./random_program.ts";

/**
 * Builds an application with either library.
 *
 * @param program The application
 * @param lib The library
 * @param log Where handlers note what they see
 */
export function build({ isApp, options, settings, registrations }: Program, lib: Any, log: Any[]): Any {
  const target = isApp ? lib() : lib.Router(options);
  if (isApp) target.set("env", "test").disable("x-powered-by");
  // only tags by the same hash can be compared
  if (isApp && lib !== express) target.set("etag", "sha1");
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

/**
 * Sends a request to one of several applications.
 *
 * @param origin Where they listen
 * @param index The number of the application
 * @param ask The request
 * @returns What a client sees, but for what Express and Sluice need not have in common
 */
export async function seenBy(origin: string, index: number, { path, method }: Ask): Promise<unknown> {
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
  // the stack of an error is not the same, and may be the framework's own frames, counted
  const body = (await response.text()).replace(/<br> &nbsp; &nbsp;(?:at|…) [^]*<\/pre>/, "</pre>");
  const shown = ["content-type", "etag", "location", "vary", "allow", "x-error"];
  const policy = response.headers.get("content-security-policy");
  const values = shown.map((name) => response.headers.get(name));
  return [response.status, values.map((value, i) => shown[i] === "vary" ? varyOf(value, policy) : value), body];
}
