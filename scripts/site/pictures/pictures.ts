import { requestLife } from "./request_life.ts";
import { windowEdge } from "./window_edge.ts";

/** Generated pictures for the documentation, by file name in `docs/`. */
export async function pictures(): Promise<ReadonlyMap<string, string>> {
  return new Map([["window-edge.svg", await windowEdge()], ["request-life.svg", requestLife()]]);
}
