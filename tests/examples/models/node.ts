/** The program on Node, with the MCP server that keeps its sessions in memory. */
import process from "node:process";
import { serve } from "@sluice/sluice/node";
import { makeApp } from "../../../examples/recipes/mcp.ts";
import { buildProgram } from "./program.ts";

const app = buildProgram(process.env["PROVIDER"]!, makeApp({ keepAliveMs: 50 }));
const server = serve(app, { port: 0, hostname: "127.0.0.1" }, () => console.log(server.port));
process.once("SIGTERM", () => app.close({ timeoutMs: 20_000 }).then(() => process.exit()));
