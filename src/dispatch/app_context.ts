import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";

/** Attaches an application's own values to every request; see `app.setAppContext`. */
export interface AppContext {
  /** Called before the first layer of every request. */
  setApp(req: FrameworkRequest, res: FrameworkResponse): void;
}
