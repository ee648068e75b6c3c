import { isPlainObject } from "../../util/is_plain_object.ts";

/** Properties on runtimes' arguments: Deno's and Node's `remoteAddr`, Bun's server, edge functions' contexts. */
const MARKS = ["remoteAddr", "requestIP", "waitUntil", "ip"] as const;

/**
 * The bindings that a program or its test passes to `app.fetch` as a Worker does: `fetch(request, env, ctx)`.
 *
 * @param info The second argument
 * @param context The third argument: only Workers get one
 * @returns The second argument if it holds bindings; `undefined` if it is a runtime's information about the request
 */
export function bindingsOf(info: unknown, context: unknown): Record<string, unknown> | undefined {
  if (!isPlainObject(info)) return undefined;
  const isTold = context === undefined && MARKS.some((name) => name in info);
  return isTold ? undefined : info;
}
