import { assert, assertEquals } from "@std/assert";
import { npmPackages } from "../../scripts/shared_builds.ts";
import { skipNode } from "../support/node_program.ts";
import { runProgram } from "./run_program.ts";

/** A function that ran: its script, its offset there, and its name. */
interface Ran {
  readonly url: string;
  readonly at: number;
  readonly name: string;
  readonly calls: number;
}

const PROGRAM = "crossed_files_program.mjs";

/**
 * Functions that are called everywhere and need not be read to follow a request. They are not specific to this
 * framework.
 */
const LEAVES = /^src\/(?:util|http)\//;

/** Maximum number of files to read to follow a request and its response, by runtime. */
const MOST = { Deno: 16, Node: 20 };

const texts = new Map<string, string>();

// in a bundle, comments name the source of the code below them
function sourceOf({ url, at }: Ran): string | undefined {
  const source = /\/(src\/.*\.ts)$/.exec(url)?.[1];
  if (source !== undefined || !/@sluice.*\.cjs$|\/sluice\/node\/.*\.cjs$/.test(url)) return source;
  const text = texts.get(url) ?? Deno.readTextFileSync(new URL(url));
  texts.set(url, text);
  const comments = Array.from(text.matchAll(/^\/\/ (src\/\S+\.ts)$/gm));
  return comments.findLast(({ index }) => index <= at)?.[1];
}

function crossed(ran: readonly Ran[]): string[] {
  // fields are set where the object is made, and a CommonJS bundle exports through getters
  const functions = ran.filter(({ name }) => !/^<\w+_initializer>$|^get$/.test(name));
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
    const { libraries } = await npmPackages();
    const { folder } = libraries.find(({ name }) => name === "@sluice/sluice")!;
    const { success, stdout, stderr } = await new Deno.Command("node", {
      args: [`tests/performance/${PROGRAM}`, new URL("node/mod.js", folder).href],
      cwd: new URL("../../", import.meta.url),
      env: { NODE_ENV: "test" },
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    const files = crossed(JSON.parse(new TextDecoder().decode(stdout)));
    assertFew("Node", files, [...EVERYWHERE, "src/node/node_call.ts", "src/node/send_response.ts"]);
  },
});
