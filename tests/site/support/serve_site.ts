import sluice, { type FrameworkApp } from "@sluice/sluice";
import { fileURLToPath } from "node:url";

/** An application that serves the built site as static hosts do: `/guide/routing` is `guide/routing.html`. */
export function siteApp(dist: URL): FrameworkApp {
  const app = sluice().set("env", "test");
  app.use(sluice.static(fileURLToPath(dist), { extensions: ["html"], redirect: false }));
  return app;
}
