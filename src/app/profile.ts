import type { AppProfile } from "../exchange/app_profile.ts";
import type { SettingValue } from "../exchange/app_like.ts";
import type { AppClasses } from "../dispatch/handle_request.ts";
import type { RouterClass } from "../routing/router.ts";

/**
 * What an application does in another way than Sluice's, because its program expects Express's: `@sluice/express` has a
 * profile for each major. Each application derives classes of its own from those of requests and responses. Applications
 * of different profiles mount in one another, and each keeps its own.
 */
export interface Profile extends AppProfile, AppClasses {
  /** Class of its router. */
  readonly Router: RouterClass;
  /** Defaults that differ, by the settings' names. */
  readonly settings: Readonly<Record<string, SettingValue>>;
}
