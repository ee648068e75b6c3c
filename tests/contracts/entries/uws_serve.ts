/** The program on Node, over uWebSockets.js. */
import { serve } from "@sluice/sluice/uws";
import { uWS } from "../../fixtures/uws/engine.ts";
import { buildProgram } from "../program.ts";

const server = serve(buildProgram(), { uWS, port: 0, hostname: "127.0.0.1" }, () => console.log(server.port));
