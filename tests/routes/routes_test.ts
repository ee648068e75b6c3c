/** The command that prints the routes of a program. */
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { packageFlags } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

async function routes(...args: string[]): Promise<{ code: number; output: string }> {
  const flags = ["run", "-A", "--quiet", "--no-check", ...await packageFlags("routes")];
  return await run(Deno.execPath(), [...flags, "routes.ts", ...args], { limitMs: PATIENCE_MS, quiet: true, cwd: ROOT });
}

Deno.test("the routes of a program that listens are printed, and it does not listen", async () => {
  const { code, output } = await routes("tests/routes/programs/listening.ts");
  assertEquals([code, output.trimEnd().split("\n")], [0, [
    "GET /api/users/:id (showUser)",
    "    logger",
    "    rateLimit  on /api  limits max 100, window 60000 ms",
    "    jsonParser  on /api  limits limit 10240 B",
    "GET /",
    "    logger",
  ]]);
});

Deno.test("the routes of an exported application are printed, as JSON for programs", async () => {
  const { code, output } = await routes("tests/routes/programs/exported.ts", "--json");
  assertEquals(code, 0, output);
  assertEquals(JSON.parse(output), [
    { fullPath: "/exported", method: "GET", path: "/exported", middleware: [], handler: "shown", limits: {} },
  ]);
});

Deno.test("what keeps routes from being printed is said, with an exit code", async () => {
  const failing: [string[], number, RegExp][] = [
    [[], 2, /takes the file of one program, not 0[\s\S]*routes main\.ts/],
    [["a.ts", "b.ts"], 2, /not 2/],
    [["--jsn", "a.ts"], 2, /no flag --jsn/],
    [["tests/routes/programs/failing.ts"], 1, /failing\.ts failed\nError: no database/],
    [["tests/routes/programs/missing.ts"], 1, /missing\.ts failed[\s\S]*not found/i],
  ];
  for (const [args, expected, message] of failing) {
    const { code, output } = await routes(...args);
    assertEquals(code, expected, output);
    assertMatch(output, message);
  }
  assertEquals((await routes("--help")).code, 0);
});

Deno.test("a program that makes no application is told what to do", async () => {
  const { code, output } = await routes("tests/routes/programs/none.ts");
  assertEquals(code, 1);
  assertMatch(output, /makes no application.*name a file that calls it/);
});
