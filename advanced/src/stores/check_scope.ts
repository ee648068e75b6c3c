import { refuseOption } from "@sluice/shared";
import type { Capabilities } from "../policy/store.ts";

const SCOPES: readonly Capabilities["scope"][] = ["process", "host", "region", "global"];

/**
 * Checks a store's scope, which determines what may be cached.
 *
 * @param scope The value passed
 * @param caller Caller name for error messages
 * @throws {TypeError} If there is no such scope
 */
export function checkScope(scope: Capabilities["scope"], caller: string): void {
  if (!SCOPES.includes(scope)) refuseOption(caller, "scope", `one of ${SCOPES.join(", ")}`, scope);
}
