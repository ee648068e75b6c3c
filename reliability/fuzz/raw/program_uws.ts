/** The target on uWebSockets.js. Prints its port. */
import { serve } from "@sluice/sluice/uws";
import { uWS } from "../../../tests/fixtures/uws/engine.ts";
import { buildTarget } from "./target.ts";

const server = serve(buildTarget(), { uWS, port: 0, hostname: "127.0.0.1" }, () => console.log(server.port));
