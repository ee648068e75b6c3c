/** The program with `app.listen`, on runtimes where the core can listen. */
import { buildProgram } from "../program.ts";

const server = buildProgram().listen({ port: 0, hostname: "127.0.0.1" });
console.log(server.port);
