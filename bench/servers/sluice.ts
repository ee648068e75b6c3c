import sluice, { type FrameworkApp } from "@sluice/sluice";
import type { Application } from "../service/scenarios.ts";
import { register } from "./express_like.ts";

/** Which settings: the defaults, or neither charset nor entity tag. */
export type Settings = "defaults" | "lean";

/** An application on Sluice. */
export function sluiceApp(application: Application, settings: Settings, folder: string): FrameworkApp {
  const app = sluice();
  app.set("env", "production");
  if (settings === "lean") app.set("etag", false).set("json charset", false);
  register(sluice, app, application, folder);
  return app;
}
