/**
 * Serves one contestant under Node, with uWebSockets.js if its name begins with `uws`, otherwise as `serve_node.ts`
 * does: `<contestant> <application> <folder>`. Prints its port when it listens.
 */
import { createRequire } from "node:module";
import process from "node:process";
import type { Engine, EngineApp } from "../src/uws/engine.ts";
import { register } from "./servers/express_like.ts";
import type { Application } from "./service/scenarios.ts";

const [contestant = "", name = "", folder = ""] = process.argv.slice(2);
const application = name as Application;
const HOST = "127.0.0.1";
// from the folder with the packages, see bench/uws/run.ts
const require = createRequire(process.env["SLUICE_UWS_PACKAGES"]!);

switch (contestant) {
  case "uws-sluice":
  case "uws-sluice-lean": {
    const { serve } = await import("@sluice/sluice/uws");
    const { sluiceApp } = await import("./servers/sluice.ts");
    const app = sluiceApp(application, contestant === "uws-sluice" ? "defaults" : "lean", folder);
    const uWS: Engine = require("uWebSockets.js");
    const server = serve(app, { uWS, port: 0, hostname: HOST }, () => console.log(server.port));
    break;
  }
  case "uws-hand": {
    const { byHandUws } = await import("./servers/by_hand_uws.ts");
    const uWS: Engine = require("uWebSockets.js");
    const app = uWS.App() as EngineApp;
    app.any("/*", byHandUws(application, folder) as Parameters<EngineApp["any"]>[1]);
    app.listen(HOST, 0, 1, (listener) => console.log(uWS.us_socket_local_port(listener as never)));
    break;
  }
  case "uws-express": {
    const express = require("ultimate-express");
    const app = express();
    app.set("env", "test");
    register(express, app, application, folder);
    app.listen(0, HOST, (port?: unknown) => console.log(typeof port === "number" ? port : app.port));
    break;
  }
  default:
    await import("./serve_node.ts");
}
