import { assert, assertEquals } from "@std/assert";
import { runProgram } from "./run_program.ts";

/** Files that somebody reads to follow one answer. */
const MOST = 16;

Deno.test("res.json of a lone handler crosses few files, from app.fetch to the Response", async () => {
  const files = await runProgram<string[]>("crossed_files_program.ts");
  assert(files.length <= MOST, `${files.length} files: ${files.join(", ")}`);
  for (const file of ["src/app/framework_app.ts", "src/dispatch/walk.ts", "src/response/web/web_response.ts"]) {
    assertEquals(files.includes(file), true, file);
  }
});
