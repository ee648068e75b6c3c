import { createApp } from "./src/app/create_app.ts";
export { FrameworkApp } from "./src/app/framework_app.ts";
export { Router } from "./src/routing/router.ts";
export { Route } from "./src/routing/route.ts";
export default createApp;
