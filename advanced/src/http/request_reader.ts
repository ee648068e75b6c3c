import type { Clients } from "@sluice/limiting";
import type { RuleRequests } from "../rules/rule_asker.ts";
import type { ResponseOf } from "./request_like.ts";

/** Reads the request properties that limits depend on. */
export interface RequestReader<Req> extends Clients<Req>, Pick<RuleRequests<Req>, "methodOf" | "pathsOf"> {
  /**
   * Returns a signal that aborts when the client disconnects; `res` is the second argument of functions in the options.
   */
  signalOf(req: Req, res: ResponseOf<Req> | undefined): AbortSignal;
}
