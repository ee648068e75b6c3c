import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";

/** Puts an application's own things onto every request; see `app.setAppContext`. */
export interface AppContext {
  /** Called before the first layer of every request. */
  setApp(req: FrameworkRequest, res: FrameworkResponse): void;
}
