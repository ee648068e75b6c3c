import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";

/** Attaches an application's own values to every request; see `app.setAppContext`. */
export interface AppContext {
  /** Called for every request, before the first layer. */
  setApp(req: FrameworkRequest, res: FrameworkResponse): void;
}
