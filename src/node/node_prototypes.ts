import { IncomingMessage as NodesIncomingMessage, ServerResponse } from "node:http";
import { mixEmitter } from "../util/emitter.ts";
import type { EmitterMethods } from "../util/emitter_methods.ts";
import { IncomingMessage } from "../request/node/incoming_message.ts";
import { HeaderMethods } from "../response/node/header_methods.ts";

/**
 * Makes request and response prototype chains end in Node's, as in Express: packages test for
 * `req instanceof http.IncomingMessage`, and some add methods there, such as passport before 0.5. Our own properties
 * take precedence.
 */
export function inheritFromNode(): void {
  inherit(IncomingMessage.prototype, NodesIncomingMessage.prototype);
  inherit(HeaderMethods.prototype, ServerResponse.prototype);
}

// otherwise the emitter that both inherit from would have to inherit from both Node classes
function inherit(ours: EmitterMethods, nodes: object): void {
  mixEmitter(ours);
  Object.setPrototypeOf(ours, nodes);
}
