/** The program's `fetch` passed to Bun's server. */
import { buildProgram } from "../program.ts";

const app = buildProgram();
const { Bun } = globalThis as unknown as { Bun: { serve(options: object): { port: number } } };
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: app.fetch, websocket: app.websocket });
console.log(server.port);
