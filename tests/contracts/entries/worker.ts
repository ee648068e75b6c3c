/** The program as a Worker that hands `app.fetch` over, beside the one that exports the application. */
import { buildProgram } from "../program.ts";

const { fetch } = buildProgram();
export default { fetch };
