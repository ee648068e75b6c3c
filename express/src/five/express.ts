import { type CreateApp, json, raw, Route, serveStatic, text, urlencoded } from "@sluice/sluice";
import { BaseRouter, type Profile, profileKey, routerConstructor } from "@sluice/sluice/profile";
import { ExpressApp, gatherMethods, hideSockets } from "../shared/express_app.ts";
import { ExpressRequest } from "../shared/express_request.ts";
import { ExpressResponse } from "../shared/express_response.ts";
import { REQUEST_NAMES, RESPONSE_NAMES, showMembers } from "../shared/shown.ts";

class Request extends ExpressRequest {}
class Response extends ExpressResponse {}
class Router extends BaseRouter {}

/** Where Express 5 differs from Sluice; docs/decisions/0078-express-is-a-profile.md says why. */
const PROFILE: Profile = {
  poweredBy: "Express",
  fileType: (type) => type,
  Request,
  Response,
  Router,
  settings: { "x-powered-by": true },
};

class App extends ExpressApp {
  override get [profileKey](): Profile {
    return PROFILE;
  }
}

gatherMethods(App);
showMembers(Request.prototype, [...REQUEST_NAMES, "query"]);
showMembers(Response.prototype, RESPONSE_NAMES);
hideSockets(App.prototype, Router.prototype);

const makeRouter = routerConstructor(Router);

/** Express 5's function, which creates applications. */
export const express: CreateApp = Object.assign(
  function express() {
    return new App();
  } as unknown as CreateApp,
  {
    Router: makeRouter,
    Route,
    json,
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
