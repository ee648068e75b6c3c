/** The program as a Worker, with the MCP server that keeps sessions in Durable Objects. */
import process from "node:process";
import mcp from "../../../examples/recipes/mcp_worker.ts";
import { buildProgram } from "./program.ts";

export { McpSession } from "../../../examples/recipes/mcp_worker.ts";

export default buildProgram(process.env["PROVIDER"]!, mcp);
