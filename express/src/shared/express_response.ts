import { FrameworkResponse } from "@sluice/sluice";
import { showMembers, showNodes } from "./shown.ts";

/** A response with what both majors of Express show. */
export class ExpressResponse extends FrameworkResponse {}

showNodes(ExpressResponse.prototype);
showMembers(ExpressResponse.prototype, ["app", "locals", "destroyed", "finished", "writable"]);
