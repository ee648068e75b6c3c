/** The program's `fetch` passed to Deno's server. */
import { buildProgram } from "../program.ts";

Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, buildProgram().fetch);
