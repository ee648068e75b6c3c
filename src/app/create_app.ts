import { json } from "../middleware/body/json.ts";
import { raw } from "../middleware/body/raw.ts";
import { text } from "../middleware/body/text.ts";
import { urlencoded } from "../middleware/body/urlencoded.ts";
import { serveStatic } from "../middleware/static_files.ts";
import { FrameworkRequest } from "../request/framework_request.ts";
import { FrameworkResponse } from "../response/framework_response.ts";
import type { Locals } from "../routing/handler.ts";
import { Route } from "../routing/route.ts";
import { Router, type RouterConstructor } from "../routing/router.ts";
import { FrameworkApp } from "./framework_app.ts";

/** Makes applications; carries what Express's `express` carries. */
export interface CreateApp {
  /**
   * Makes an application.
   *
   * @typeParam L Type of `res.locals`
   * @returns The application, with Express's defaults
   */
  <L extends Locals = Locals>(): FrameworkApp<L>;
  /** Makes routers. */
  readonly Router: RouterConstructor;
  /** One path with the handlers of its methods. */
  readonly Route: typeof Route;
  /** Parses JSON bodies. */
  readonly json: typeof json;
  /** Reads bodies as bytes. */
  readonly raw: typeof raw;
  /** Reads text bodies. */
  readonly text: typeof text;
  /** Parses form bodies. */
  readonly urlencoded: typeof urlencoded;
  /** Serves the files of a folder. */
  readonly static: typeof serveStatic;
  /** What applications inherit. */
  readonly application: FrameworkApp;
  /** What requests of every application inherit. */
  readonly request: FrameworkRequest;
  /** What responses of every application inherit. */
  readonly response: FrameworkResponse;
}

/** Makes an application. */
// a bundler that sees a pure call leaves out body parsers and files where only the classes are used
export const createApp: CreateApp = /* @__PURE__ */ withStatics();

function withStatics(): CreateApp {
  return Object.assign(
    function createApp<L extends Locals = Locals>(): FrameworkApp<L> {
      return new FrameworkApp<L>();
    },
    {
      Router,
      Route,
      json,
      raw,
      text,
      urlencoded,
      static: serveStatic,
      application: FrameworkApp.prototype as FrameworkApp,
      request: FrameworkRequest.prototype as FrameworkRequest,
      response: FrameworkResponse.prototype as FrameworkResponse,
    },
  );
}
