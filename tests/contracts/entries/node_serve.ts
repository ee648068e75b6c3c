/** The program on Node, through Sluice's Node entry. */
import { serve } from "@sluice/sluice/node";
import { buildProgram } from "../program.ts";

const server = serve(buildProgram(), { port: 0, hostname: "127.0.0.1" }, () => console.log(server.port));
