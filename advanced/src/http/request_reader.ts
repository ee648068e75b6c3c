import type { Clients } from "@sluice/limiting";
import type { RuleRequests } from "../rules/rule_asker.ts";

/** Reads what limits depend on from the requests of a framework. */
export interface RequestReader<Req> extends Clients<Req>, Pick<RuleRequests<Req>, "methodOf" | "urlOf"> {}
