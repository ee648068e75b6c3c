/** The program on Deno and Bun; shuts down as in a deployment. */
import process from "node:process";
import { buildProgram } from "../program.ts";

const app = buildProgram();
const server = app.listen({ port: 0, hostname: "127.0.0.1" });
console.log(server.port);
process.once("SIGTERM", () => app.close().then(() => process.exit()));
