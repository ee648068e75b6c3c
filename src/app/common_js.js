// @ts-self-types="./express_names.ts"
import { Callable } from "../util/callable.ts";
import { Emitter } from "../util/emitter.ts";
import { HttpError } from "../http/http_error.ts";
import { FastMatcher } from "../matching/fast_matcher.ts";
import { Layer } from "../matching/layer.ts";
import { PathPattern } from "../matching/path_pattern.ts";
import { shedLoad } from "../middleware/overload/shed_load.ts";
import { clientKey } from "../../limiting/client_key.ts";
import { rateLimit } from "../middleware/rate_limit/rate_limit.ts";
import { serveStatic } from "../middleware/static_files.ts";
import { Exchange } from "../exchange/exchange.ts";
import { FrameworkRequest } from "../request/framework_request.ts";
import { IncomingMessage } from "../request/node/incoming_message.ts";
import { RequestSocket } from "../request/node/request_socket.ts";
import { Target } from "../exchange/target.ts";
import { FrameworkResponse } from "../response/framework_response.ts";
import { HeaderMethods } from "../response/node/header_methods.ts";
import { OutgoingHeaders } from "../response/web/outgoing_headers.ts";
import { OutgoingMessage } from "../response/node/outgoing_message.ts";
import { BaseRouter } from "../routing/router.ts";
import { View } from "../views/view.ts";
import { Connections } from "../websocket/connections.ts";
import { WebSocketConnection } from "../websocket/ws_connection.ts";
import { createApp } from "./create_app.ts";
import { FrameworkApp } from "./framework_app.ts";

/**
 * What `require` returns in CommonJS: as with Express, a function that makes applications and has all other exports.
 *
 * It is a function of its own, so that bundles of ES modules need not contain all of this. It is JavaScript, with types
 * that mod.ts exports anyway, because TypeScript before 5.6 cannot parse its name, and later versions would look for
 * `express.Request` in its type.
 */
const commonJs = /* @__PURE__ */ withNames();
export { commonJs as "module.exports" };

function withNames() {
  const made = Object.assign(() => createApp(), createApp, {
    BaseRouter,
    Callable,
    Connections,
    Emitter,
    Exchange,
    FastMatcher,
    FrameworkApp,
    FrameworkRequest,
    FrameworkResponse,
    HeaderMethods,
    HttpError,
    IncomingMessage,
    Layer,
    OutgoingHeaders,
    OutgoingMessage,
    PathPattern,
    RequestSocket,
    Target,
    View,
    WebSocketConnection,
    clientKey,
    rateLimit,
    serveStatic,
    shedLoad,
  });
  return Object.assign(made, { default: made });
}
