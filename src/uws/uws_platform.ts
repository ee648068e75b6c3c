import { nodePlatform } from "../node/node_platform.ts";
import type { Platform } from "../platform/shared/platform.ts";
import { UwsCall } from "./uws_call.ts";
import { UwsRequest } from "./uws_request.ts";

const { isOne } = UwsRequest;
const { header, visitHeaders, watchClient, fillSink, closesAfterResponse } = nodePlatform;

/** Node, with requests from uWebSockets.js as well as from Node's own servers. */
export const uwsPlatform: Platform = {
  ...nodePlatform,
  header: (request, name) => isOne(request) ? request.header(name) : header(request, name),
  visitHeaders: (request, visitor) => isOne(request) ? request.visitHeaders(visitor) : visitHeaders(request, visitor),
  watchClient: (request, watch, listen) =>
    isOne(request) ? request.watchClient(watch, listen) : watchClient!(request, watch, listen),
  fillSink: (request, sink) => isOne(request) ? request.fillSink(sink) : fillSink!(request, sink),
  localOf: (info) => info instanceof UwsCall ? { address: info.server.hostname, port: info.server.port } : undefined,
  closesAfterResponse: (request, info) =>
    info instanceof UwsCall ? info.isClosedBehind : closesAfterResponse!(request, info),
};
