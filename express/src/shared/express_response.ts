import { FrameworkResponse } from "@sluice/sluice";
import { showMembers, showNodes } from "./shown.ts";

/** A response with the properties shared by both majors of Express. */
export class ExpressResponse extends FrameworkResponse {}

showNodes(ExpressResponse.prototype);
showMembers(ExpressResponse.prototype, ["app", "locals", "destroyed", "finished", "writable"]);
