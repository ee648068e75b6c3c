/** The program on Node; shuts down as in a deployment. */
import process from "node:process";
import { serve } from "@sluice/sluice/node";
import { buildProgram } from "../program.ts";

const app = buildProgram();
const server = serve(app, { port: 0, hostname: "127.0.0.1" }, () => console.log(server.port));
process.once("SIGTERM", () => app.close().then(() => process.exit()));
