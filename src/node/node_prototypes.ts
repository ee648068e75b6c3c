import { IncomingMessage as NodesIncomingMessage, ServerResponse } from "node:http";
import { mixEmitter } from "../util/emitter.ts";
import type { EmitterMethods } from "../util/emitter_methods.ts";
import { IncomingMessage } from "../request/node/incoming_message.ts";
import { HeaderMethods } from "../response/node/header_methods.ts";

/**
 * Lets the prototypes of requests and responses end in Node's, as Express's do: packages ask for
 * `req instanceof http.IncomingMessage`, and some add methods there, such as passport before 0.5. All that ours have
 * comes first.
 */
export function inheritFromNode(): void {
  inherit(IncomingMessage.prototype, NodesIncomingMessage.prototype);
  inherit(HeaderMethods.prototype, ServerResponse.prototype);
}

// the emitter, from which both inherit otherwise, would have to inherit from both of Node's
function inherit(ours: EmitterMethods, nodes: object): void {
  mixEmitter(ours);
  Object.setPrototypeOf(ours, nodes);
}
