import { type CreateApp, Route, serveStatic } from "@sluice/sluice";
import {
  parseExtendedQuery,
  type Profile,
  profileKey,
  type RouterClass,
  routerConstructor,
} from "@sluice/sluice/profile";
import { ExpressApp, gatherMethods, hideSockets } from "../shared/express_app.ts";
import { json, raw, text, urlencoded } from "./body_parsers.ts";
import { checkUse } from "./checked.ts";
import { type QueryMiddleware, queryMiddleware } from "../shared/query.ts";
import { REQUEST_NAMES, RESPONSE_NAMES, showMembers } from "../shared/shown.ts";
import { Request } from "./request.ts";
import { Response } from "./response.ts";
import { Router } from "./router.ts";

/** Where Express 4 differs from Sluice; docs/decisions/0078-express-is-a-profile.md says why. */
const PROFILE: Profile = {
  poweredBy: "Express",
  fileType: (type) =>
    type.replace(/^text\/javascript/, "application/javascript").replace("; charset=utf-8", "; charset=UTF-8"),
  sendMethods(res, methods) {
    const list = methods.join(",");
    (res as Response).set("Allow", list).send(list);
  },
  Request,
  Response,
  // the program's own, so that agents' patches there also apply to applications' routers
  get Router() {
    return makeRouter as RouterClass;
  },
  settings: { "x-powered-by": true, "query parser": "extended" },
};

/** Query parsers that differ from Express 5's: longer arrays, and an object with a prototype. */
const QUERY_PARSERS = new Map<unknown, (query: string | null) => object>([
  ["extended", (query) => parseExtendedQuery(query ?? "", { allowPrototypes: true, arrayLimit: 1000 })],
  [false, () => ({})],
]);

class App extends ExpressApp {
  override get [profileKey](): Profile {
    return PROFILE;
  }

  /** Stores a setting; two query parsers have other results than Express 5's. */
  override set(name: string, ...rest: [value?: unknown]): this {
    const result = super.set(name, ...rest);
    const parse = name === "query parser" ? QUERY_PARSERS.get(rest[0]) : undefined;
    if (parse !== undefined) this.settings["query parser fn"] = parse;
    return result;
  }
}

Object.defineProperty(App.prototype, "del", { value: App.prototype.delete, configurable: true, writable: true });
checkUse(App.prototype);
gatherMethods(App, ["del", "lazyrouter"]);
showMembers(Request.prototype, [
  ...REQUEST_NAMES,
  ...["param", "acceptsCharset", "acceptsEncoding", "acceptsLanguage"],
]);
showMembers(Response.prototype, [...RESPONSE_NAMES, "sendfile"]);
hideSockets(App.prototype, Router.prototype);

const makeRouter = routerConstructor(Router);
// as in Express 4, the function is its routers' prototype: packages such as express-ws add methods to it
Object.setPrototypeOf(makeRouter, Router.prototype);
Object.defineProperty(makeRouter, "prototype", { value: makeRouter });

/** Names in Express 4 without an implementation since Express 3. */
const REMOVED = [
  ...["bodyParser", "compress", "cookieSession", "session", "logger", "cookieParser", "favicon", "responseTime"],
  ...["errorHandler", "timeout", "methodOverride", "vhost", "csrf", "directory", "limit", "multipart", "staticCache"],
];

/** Express 4's function, which creates applications. */
export interface Express4 extends CreateApp {
  /** Parses the query on requests without a parsed query. */
  readonly query: (parse?: unknown) => QueryMiddleware;
}

/** Express 4's function, which creates applications. */
export const express: Express4 = Object.assign(
  function express() {
    return new App();
  } as unknown as CreateApp,
  {
    Router: makeRouter,
    Route,
    json,
    query: queryMiddleware((() => new App()) as unknown as CreateApp),
    raw,
    text,
    urlencoded,
    static: serveStatic,
    application: App.prototype,
    request: Request.prototype,
    response: Response.prototype,
  },
);

// as compilers expect from any value that `require` returns
Object.assign(express, { default: express });

for (const name of REMOVED) {
  Object.defineProperty(express, name, {
    get() {
      throw new Error(
        `Most middleware (like ${name}) is no longer bundled with Express and must be installed separately`,
      );
    },
    configurable: true,
  });
}
