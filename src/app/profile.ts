import type { AppProfile } from "../exchange/app_profile.ts";
import type { SettingValue } from "../exchange/app_like.ts";
import type { AppClasses } from "../dispatch/handle_request.ts";
import type { RouterClass } from "../routing/router.ts";

/**
 * How an application differs from Sluice's because its program expects Express's behavior; `@sluice/express` has a
 * profile for each major version. Each application derives its own request and response classes. Applications with
 * different profiles can be mounted in one another, and each keeps its own profile.
 */
export interface Profile extends AppProfile, AppClasses {
  /** Its router class. */
  readonly Router: RouterClass;
  /** Defaults that differ, by setting name. */
  readonly settings: Readonly<Record<string, SettingValue>>;
}
