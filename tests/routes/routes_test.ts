/** The command that prints the routes of a program. */
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { packageFlags } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** How the command ended, and what it wrote. */
interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function routes(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const flags = ["run", "-A", "--quiet", "--no-check", ...await packageFlags("routes")];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...flags, "routes.ts", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  return { code, output: new TextDecoder().decode(stdout), errors: new TextDecoder().decode(stderr) };
}

Deno.test("the routes of a program that listens are printed, and it does not listen", async () => {
  const { code, output } = await routes(["tests/routes/programs/listening.ts"]);
  assertEquals([code, output.trimEnd().split("\n")], [0, [
    "GET /api/users/:id (showUser)",
    "    logger",
    "    rateLimit  on /api  limits limit 100, window 60000 ms",
    "    jsonParser  on /api  limits limit 10240 B",
    "GET /",
    "    logger",
  ]]);
});

Deno.test("the routes of an exported application are printed, as JSON for programs", async () => {
  const { code, output, errors } = await routes(["tests/routes/programs/exported.ts", "--json"]);
  assertEquals(code, 0, errors);
  assertEquals(JSON.parse(output), [
    { fullPath: "/exported", method: "GET", path: "/exported", middleware: [], handler: "shown", limits: {} },
  ]);
});

Deno.test("a program may wait for its server, and talk; its port may be taken", async () => {
  const taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const PORT = String((taken.addr as Deno.NetAddr).port);
  const { code, output, errors } = await routes(["tests/routes/programs/waiting.ts"], { PORT });
  taken.close();
  assertEquals([code, output], [0, "GET /early (early)\nGET /late (late)\n"], errors);
  // not among the routes
  assertStringIncludes(errors, `listening on ${PORT}\nready\n`);
});

Deno.test("a program may close its application", async () => {
  const { code, output, errors } = await routes(["tests/routes/programs/closing.ts"]);
  assertEquals([code, output], [0, "GET /closed (closed)\nGET /after (after)\n"], errors);
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
    const { code, output, errors } = await routes(args);
    assertEquals([code, output], [expected, ""], errors);
    assertMatch(errors, message);
  }
  assertEquals((await routes(["--help"])).code, 0);
});

Deno.test("a program that makes no application is told what to do", async () => {
  const { code, errors } = await routes(["tests/routes/programs/none.ts"]);
  assertEquals(code, 1);
  assertMatch(errors, /makes no application.*name a file that calls it/);
});
