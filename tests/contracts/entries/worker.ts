/** The program as a Worker that exports `app.fetch`, unlike the Worker that exports the application. */
import { buildProgram } from "../program.ts";

const { fetch } = buildProgram();
export default { fetch };
