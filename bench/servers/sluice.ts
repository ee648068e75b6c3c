import sluice, { type FrameworkApp } from "@sluice/sluice";
import { register } from "./express_like.ts";

/** Sluice with default settings, or without charset and entity tag. */
export function sluiceApp(lean: boolean): FrameworkApp {
  const app = sluice();
  app.set("env", "production");
  if (lean) app.set("etag", false).set("json charset", false);
  register(app, sluice.json());
  return app;
}
