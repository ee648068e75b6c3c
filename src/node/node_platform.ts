import type { IncomingMessage, ServerResponse } from "node:http";
import diagnosticsChannel, { hasSubscribers } from "node:diagnostics_channel";
import Module from "node:module";
import { performance } from "node:perf_hooks";
import zlib from "node:zlib";
import { builtinInflater, type BuiltinZlib } from "../platform/shared/builtin_inflater.ts";
import { genericPlatform, noWebSockets, terminalColours } from "../platform/shared/generic_platform.ts";
import { type DiagnosticsChannel, handlerChannel } from "../platform/shared/handler_channel.ts";
import type { Platform } from "../platform/shared/platform.ts";
import { IncomingRequest } from "./incoming_request.ts";
import { loadPackage } from "./load_package.ts";
import { nextTurn } from "./next_turn.ts";
import type { NodeInfo } from "./node_info.ts";
import { nodeFiles } from "./node_files.ts";
import { toNodeHandler } from "./node_handler.ts";
import { NodeServer } from "./node_server.ts";

// Monitoring agents such as OpenTelemetry's replace node:http methods once a CommonJS module requires it. Express does;
// without this call, agents would see no requests in a program without such a module.
Module.createRequire("/")("node:http");

/** Node: `node:http` and `node:http2`, WebSockets from ws, Node's files and packages. */
export const nodePlatform: Platform = {
  ...genericPlatform(),
  name: "Node",
  endsWithResponse: false,
  files: nodeFiles,
  keepsCoding: true,
  forgetsPeer: true,
  defaultEnv: () => "development",
  header: IncomingRequest.header,
  headers: IncomingRequest.headers,
  visitHeaders: IncomingRequest.visitHeaders,
  handlerChannel: () => handlerChannel(diagnosticsChannel as DiagnosticsChannel),
  // where instrumentation for undici, on which fetch is based, adds headers
  fetchAppendsTrace: () => hasSubscribers("undici:request:create"),
  watchClient: IncomingRequest.watchClient,
  fillSink: IncomingRequest.fillSink,
  // the property does not exist over HTTP/2
  closesAfterResponse: (_request, info) => (info as Partial<NodeInfo> | undefined)?.res?.shouldKeepAlive === false,
  inflater: (coding) => builtinInflater(zlib as BuiltinZlib, coding),
  colours: terminalColours,
  loadPackage,
  nextTurn,
  idleMs: () => performance.eventLoopUtilization().idle,
  serve: (...given) => new NodeServer(...given),
  handleNodeRequest: (app, req, res, next) => toNodeHandler(app)(req as IncomingMessage, res as ServerResponse, next),
  upgrade: refuseUpgrade,
};

// upgrades on Node come with their own upgrader, see UpgradeCall
function refuseUpgrade(): never {
  throw noWebSockets(
    'A WebSocket on Node needs the server\'s "upgrade" event: server.on("upgrade", toUpgradeHandler(app))',
  );
}
