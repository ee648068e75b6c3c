import sluice from "@sluice/sluice";
import { register } from "./express_like.ts";
import type { FetchHandler } from "./handlers.ts";

/** Sluice as it comes, or without charset and entity tag. */
export function sluiceHandler(lean: boolean): FetchHandler {
  const app = sluice();
  app.set("env", "production");
  if (lean) app.set("etag", false).set("json charset", false);
  register(app, sluice.json());
  return app.fetch;
}
