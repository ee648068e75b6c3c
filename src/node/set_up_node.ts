import { registerPlatform } from "../platform/detect.ts";
import { nodePlatform } from "./node_platform.ts";
import { inheritFromNode } from "./node_prototypes.ts";

/** Makes applications listen on Node, and requests and responses those of Node: what each entry for Node does first. */
export function setUpNode(): void {
  registerPlatform(nodePlatform);
  inheritFromNode();
}
