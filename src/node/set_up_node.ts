import { registerPlatform } from "../platform/detect.ts";
import { nodePlatform } from "./node_platform.ts";
import { inheritFromNode } from "./node_prototypes.ts";

/** Lets applications listen on Node, with Node's prototypes for requests and responses; each Node entry calls it. */
export function setUpNode(): void {
  registerPlatform(nodePlatform);
  inheritFromNode();
}
