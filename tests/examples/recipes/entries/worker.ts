/** The program as a Worker. */
import { buildProgram } from "../program.ts";

export default buildProgram();
