/** Builds the applications from `random_program.ts` with Sluice or Express. Their handlers record what they see. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import type { Deed, Program } from "./random_program.ts";

/** Layers that enter it pass its store to all later layers. */
const storage = new AsyncLocalStorage<string>();

/**
 * Sluice with entity tags made as in Express, so that they can be compared.
 *
 * @param sluice The library
 */
export function withExpressTags(sluice: Any): Any {
  return Object.assign(() => sluice().set("etag", "sha1"), sluice);
}

/**
 * Builds an application with either library.
 *
 * @param program The application
 * @param lib The library
 * @param log Where handlers record their observations
 */
export function build({ isApp, options, settings, registrations }: Program, lib: Any, log: Any[]): Any {
  const target = isApp ? lib() : lib.Router(options);
  if (isApp) target.set("env", "test").disable("x-powered-by");
  for (const [name, value] of settings) target.set(name, value);
  for (const { name, as, path, verb, deeds, inner } of registrations) {
    const handlers = deeds.map((deed, i) => (req: Any, res: Any, next: Any) => {
      note(log, `${name}/${i}`, req, res, null);
      return act(name, deed, req, res, next, lib);
    });
    const catcher = (error: Any, req: Any, res: Any, next: Any) => {
      // each engine words `JSON.parse` errors differently
      const said = error?.type === "entity.parse.failed" ? error.type : String(error?.message ?? error);
      note(log, name, req, res, said);
      return deeds[0]![0] === "next" ? next(error) : act(name, deeds[0]!, req, res, next, lib);
    };
    if (as === "use") target.use(path, handlers);
    else if (as === "enter") target.use(path, (_req: Any, _res: Any, next: Any) => storage.run(name, next));
    else if (as === "verb") target[verb](path, ...handlers);
    else if (as === "route") target.route(path)[verb](handlers).all(handlers[0]).get(handlers);
    else if (as === "guarded") target[verb](path, handlers, catcher, handlers[0]);
    else if (as === "parse") target.use(path, lib[verb]({ ...verb === "urlencoded" && { extended: false } }));
    else if (as === "mount") target.use(path, build(inner!, lib, log));
    else if (as === "mount twice") mountTwice(target, path, build(inner!, lib, log));
    else if (as === "catch") target.use(path, catcher);
    else {
      target.param(path, (req: Any, res: Any, next: Any, value: string, key: string) => {
        note(log, name, req, res, [value, key]);
        // Express has already matched the layer, and cuts a URL assigned here at the old mount
        return ["url", "method"].includes(deeds[0]![0]) ? next() : act(name, deeds[0]!, req, res, next, lib);
      });
    }
  }
  return target;
}

function mountTwice(target: Any, path: Any, inner: Any): void {
  target.use(path, inner);
  target.use("/b", [inner]);
}

function note(log: Any[], name: string, req: Any, res: Any, extra: unknown): void {
  const { url, baseUrl, originalUrl, path, method, query, protocol, subdomains, ips, body } = req;
  // for HEAD, Express has already tried the routes for all methods
  const route = req.get("x-asked") === "HEAD" ? null : String(req.route?.path);
  const shown = { url, baseUrl, originalUrl, path, method, query, protocol, subdomains, ips, route, body };
  const own = [
    req.res === res,
    res.req === req,
    req.app === res.app,
    req.app.get("json spaces") ?? null,
    String(req.app.mountpath),
  ];
  log.push({
    ask: req.get("x-ask"),
    name,
    ...shown,
    params: { ...req.params },
    locals: { ...res.locals },
    status: res.statusCode,
    store: storage.getStore(),
    own,
    extra,
  });
}

const VALUES: Readonly<Record<string, unknown>> = {
  GET: "a string",
  POST: 5,
  PUT: { status: 402, message: "no error", expose: true },
  DELETE: { statusCode: 599, headers: { "X-Error": "headers" } },
  OPTIONS: Object.assign(new Error("status 200"), { status: 200 }),
  HEAD: Object.assign(new TypeError("status text"), { status: "418" }),
};

const FALSY: Readonly<Record<string, unknown>> = { GET: null, POST: 0, PUT: "", DELETE: false };

function act(name: string, [does, to]: Deed, req: Any, res: Any, next: Any, lib: Any): unknown {
  const error = new Error(`${name} failed`);
  if (does === "answer") return void res.end(name);
  if (does === "send") return res.send(name.length % 2 ? name : { name });
  if (does === "json") return res.json({ name, body: req.body, html: "<b>" });
  if (does === "format") return res.format({ json: () => res.json(name), html: () => res.send(`<p>${name}`) });
  if (does === "sendStatus") return res.sendStatus(to === "GET" ? 202 : 404);
  if (does === "redirect") return res.redirect("../x");
  if (does === "route" || does === "router") return next(does);
  if (does === "throw") throw error;
  if (does === "throw nothing") throw undefined;
  if (does === "throw value") throw VALUES[to];
  if (does === "pass") return next(error);
  if (does === "pass text") return next("text");
  if (does === "pass status") return next(Object.assign(error, { status: 418, headers: { "X-Error": name } }));
  // a stack is a list if the program's `Error.prepareStackTrace` says so
  if (does === "pass list") return next(Object.assign(error, { status: 402, stack: [String(error)] }));
  if (does === "pass falsy") return next(FALSY[to]);
  if (does === "reject") return Promise.reject(error);
  if (does === "async throw") return Promise.resolve().then(() => Promise.reject());
  if (does === "async next") return Promise.resolve().then(() => next());
  if (does === "async answer") return Promise.resolve().then(() => res.status(201).json(name));
  if (does === "later") return void setTimeout(next, 0);
  if (does === "own router") return lib.Router().get("/:z", (q: Any, s: Any) => s.end(q.params.z))(req, res, next);
  // if a mount stripped the whole path, Express cannot distinguish an assigned slash from the one it added itself
  if (does === "url" && !/^\/(\?|$)/.test(req.url)) req.url = to;
  if (does === "method") req.method = to === "HEAD" ? "GET" : to;
  if (does === "status") res.status(409);
  if (does === "locals") res.locals[name] = to;
  if (does === "cookie") res.cookie(to, { name }, { path: req.baseUrl || "/", httpOnly: true }).clearCookie("old");
  if (does === "headers") res.set("X-Seen", name).append("X-Seen", to).vary(to).links({ next: "/a" }).location("/b c");
  return next();
}
