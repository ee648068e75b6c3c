// @ts-self-types="./express_names.ts"
import { HttpError } from "../http/http_error.ts";
import { parseSubnet } from "../http/ip_address.ts";
import { FastMatcher } from "../matching/fast_matcher.ts";
import { Layer } from "../matching/layer.ts";
import { shedLoad } from "../middleware/overload/shed_load.ts";
import { clientKey } from "../../limiting/client_key.ts";
import { rateLimit } from "../middleware/rate_limit/rate_limit.ts";
import { serveStatic } from "../middleware/static_files.ts";
import { FrameworkRequest } from "../request/framework_request.ts";
import { FrameworkResponse } from "../response/framework_response.ts";
import { View } from "../views/view.ts";
import { Connections } from "../websocket/connections.ts";
import { createApp, refuseElsewhere } from "./create_app.ts";
import { FrameworkApp } from "./framework_app.ts";

/**
 * The value that `require` returns in CommonJS. As in Express, it is a function that creates applications and carries
 * all other exports.
 *
 * A separate function, so that bundles of ES modules need not contain all of this. It is JavaScript, typed by mod.ts,
 * because TypeScript before 5.6 cannot parse its name, and later versions would look for `express.Request` in its type.
 */
const commonJs = /* @__PURE__ */ withNames();
export { commonJs as "module.exports" };

function withNames() {
  const made = Object.assign(() => createApp(), createApp, {
    Connections,
    FastMatcher,
    FrameworkApp,
    FrameworkRequest,
    FrameworkResponse,
    HttpError,
    Layer,
    View,
    clientKey,
    parseSubnet,
    rateLimit,
    serveStatic,
    shedLoad,
  });
  return Object.assign(refuseElsewhere(made), { default: made });
}
