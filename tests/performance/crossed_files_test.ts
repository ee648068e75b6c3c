import { assert, assertEquals } from "@std/assert";
import { skipNode } from "../support/node_program.ts";
import { runOnNode, runProgram } from "./run_program.ts";
import { isUnread, LEAVES, sourceOf } from "./source_of.ts";

/** A function that ran. */
interface Ran {
  readonly url: string;
  readonly at: number;
  readonly name: string;
  readonly calls: number;
}

const PROGRAM = "crossed_files_program.mjs";

/** Maximum number of files to read to follow a request and its response, by runtime. */
const MOST = { Deno: 16, Node: 20 };

function crossed(ran: readonly Ran[]): string[] {
  const functions = ran.filter(({ name }) => !isUnread(name));
  const files = functions.map(sourceOf).filter((file) => file !== undefined && !LEAVES.test(file));
  return [...new Set(files as string[])].sort();
}

function assertFew(runtime: keyof typeof MOST, files: readonly string[], known: readonly string[]): void {
  assert(files.length <= MOST[runtime], `${files.length} files: ${files.join(", ")}`);
  for (const file of known) assertEquals(files.includes(file), true, `${file} in ${files.join(", ")}`);
}

const EVERYWHERE = ["src/app/framework_app.ts", "src/dispatch/walk.ts", "src/response/framework_response.ts"];

Deno.test("one more res.json over app.listen crosses few files on Deno", async () => {
  const files = crossed(await runProgram<Ran[]>(PROGRAM));
  assertFew("Deno", files, [...EVERYWHERE, "src/response/web/web_response.ts"]);
});

Deno.test({
  name: "one more res.json over app.listen crosses few files on Node",
  ignore: skipNode,
  async fn() {
    const files = crossed(await runOnNode<Ran[]>(PROGRAM));
    assertFew("Node", files, [...EVERYWHERE, "src/node/node_call.ts", "src/node/send_response.ts"]);
  },
});
