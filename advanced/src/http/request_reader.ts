import type { Clients } from "@sluice/limiting";
import type { RuleRequests } from "../rules/rule_asker.ts";
import type { ResponseOf } from "./request_like.ts";

/** Reads what limits depend on from the requests of a framework. */
export interface RequestReader<Req> extends Clients<Req>, Pick<RuleRequests<Req>, "methodOf" | "pathsOf"> {
  /** What aborts when the client of a request disconnects; `res` is what functions in the options get after it. */
  signalOf(req: Req, res: ResponseOf<Req> | undefined): AbortSignal;
}
