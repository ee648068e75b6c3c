import { refuseOption } from "@sluice/sluice/limiting";
import type { Capabilities } from "../policy/store.ts";

const SCOPES: readonly Capabilities["scope"][] = ["process", "host", "region", "global"];

/**
 * Checks who shares a store: what is remembered of it hangs on that.
 *
 * @param scope What was given
 * @param caller Name of the caller for error messages
 * @throws {TypeError} If it is none of the scopes
 */
export function checkScope(scope: Capabilities["scope"], caller: string): void {
  if (!SCOPES.includes(scope)) refuseOption(caller, "scope", `one of ${SCOPES.join(", ")}`, scope);
}
