/** The program as the default export: for `deno serve`, Bun and Workers. */
import { buildProgram } from "../program.ts";

export default buildProgram();
