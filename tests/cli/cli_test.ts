/** The command line: lists a program's routes, and sends requests to it. */
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { packageFlags } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The command's exit code and output. */
interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function sluice(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const flags = ["run", "-A", "--quiet", "--no-check", ...await packageFlags("cli")];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...flags, "cli.ts", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  return { code, output: new TextDecoder().decode(stdout), errors: new TextDecoder().decode(stderr) };
}

function routes(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return sluice(["routes", ...args], env);
}

Deno.test("the routes of a program that listens are printed, and it does not listen", async () => {
  const { code, output } = await routes(["tests/cli/programs/listening.ts"]);
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
  const { code, output, errors } = await routes(["tests/cli/programs/exported.ts", "--json"]);
  assertEquals(code, 0, errors);
  assertEquals(JSON.parse(output), [
    { fullPath: "/exported", method: "GET", path: "/exported", middleware: [], handler: "shown", limits: {} },
  ]);
});

Deno.test("a program may wait for its server, and talk; its port may be taken", async () => {
  const taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const PORT = String((taken.addr as Deno.NetAddr).port);
  const { code, output, errors } = await routes(["tests/cli/programs/waiting.ts"], { PORT });
  taken.close();
  assertEquals([code, output], [0, "GET /early (early)\nGET /late (late)\n"], errors);
  // not among the routes
  assertStringIncludes(errors, `listening on ${PORT}\nready\n`);
});

Deno.test("a program may close its application", async () => {
  const { code, output, errors } = await routes(["tests/cli/programs/closing.ts"]);
  assertEquals([code, output], [0, "GET /closed (closed)\nGET /after (after)\n"], errors);
});

Deno.test("what keeps routes from being printed is said, with an exit code", async () => {
  const failing: [string[], number, RegExp][] = [
    [[], 2, /expected the file of one program, not 0[\s\S]*cli routes FILE/],
    [["a.ts", "b.ts"], 2, /not 2/],
    [["--jsn", "a.ts"], 2, /Unknown option .*--jsn/],
    [["tests/cli/programs/failing.ts"], 1, /failing\.ts failed\nError: no database/],
    [["tests/cli/programs/missing.ts"], 1, /missing\.ts failed[\s\S]*not found/i],
  ];
  for (const [args, expected, message] of failing) {
    const { code, output, errors } = await routes(args);
    assertEquals([code, output], [expected, ""], errors);
    assertMatch(errors, message);
  }
  assertEquals((await routes(["--help"])).code, 0);
});

Deno.test("a program that makes no application is told what to do", async () => {
  const { code, errors } = await routes(["tests/cli/programs/none.ts"]);
  assertEquals(code, 1);
  assertMatch(errors, /creates no application.*pass a file that calls it/);
});

const RESPONDING = "tests/cli/programs/responding.ts";

function request(...args: string[]): Promise<Ended> {
  return sluice(["request", RESPONDING, ...args]);
}

Deno.test("a request is sent without a server, and its response printed as it is", async () => {
  const { code, output, errors } = await request("/notes/7?q=a%20b", "-H", "X-Key: a", "--header", "x-key: b");
  assertEquals(code, 0, errors);
  assertEquals(output.split("\n").filter((line) => !/^(?:etag|x-powered-by):/.test(line)), [
    "HTTP 200",
    "content-type: application/json; charset=utf-8",
    "",
    '{"id":"7","q":"a b","key":"a, b","ip":"127.0.0.1","by":1}',
  ]);
  // the program's logs are not in the response
  assertMatch(errors, /^GET \/notes\/7/m);
});

Deno.test("--json prints status, headers and body for programs, whatever the status", async () => {
  const { code, output } = await request("/notes", "-d", '{"text":"a"}', "--json");
  const { status, headers, body } = JSON.parse(output);
  assertEquals([code, status, body], [0, 201, { text: "a" }]);
  assertEquals(headers["set-cookie"], ["a=1; Path=/", "b=2; Path=/"]);
  const put = JSON.parse(
    (await request("/notes", "-X", "PUT", "-d", "a=1", "-H", "Content-Type: text/plain", "--json")).output,
  );
  assertEquals([put.status, put.body], [404, "text/plain a=1"]);
  const bytes = JSON.parse((await request("/bytes", "--json")).output);
  assertEquals([bytes.body, bytes.encoding], ["/wAB", "base64"]);
  const wrong = JSON.parse((await request("/wrong", "--json")).output);
  assertEquals(wrong.body, "{");
});

Deno.test("a response is printed as it comes, and one without end is given up", async () => {
  const endless = await request("/endless", "--max-time", "0.3");
  assertEquals(endless.code, 1);
  assertStringIncludes(endless.output, "data: 1\n\n");
  assertMatch(endless.errors, /request: no complete response within 0.3 s; raise --max-time for slower ones/);
  assertEquals((await request("/endless", "--max-time=0.3", "--json")).output, "");
  const none = await request("/none", "--max-time", "0.3");
  assertEquals([none.code, none.output], [1, ""]);
  assertMatch(none.errors, /request: no complete response within 0.3 s/);
});

Deno.test("one of several applications is asked by its number", async () => {
  const ask = (...args: string[]) => sluice(["request", "tests/cli/programs/two.ts", "/", ...args]);
  assertMatch((await ask()).errors, /the program has 2 applications, so --app must be 1 to 2/);
  assertStringIncludes((await ask("--app", "2")).output, "second");
  assertMatch((await ask("--app", "3")).errors, /--app must be 1 to 2/);
});

Deno.test("arguments that make no request are refused, with what would", async () => {
  const failing: [string[], number, RegExp][] = [
    [[], 2, /expected the file of a program and a path, not 1[\s\S]*request FILE PATH/],
    [["notes"], 2, /a path must start with a slash, not notes/],
    [["/", "-H", "X"], 2, /a header must be "Name: value", not X/],
    [["/", "--max-time", "soon"], 2, /--max-time must be a number above 0, not soon/],
  ];
  for (const [args, expected, message] of failing) {
    const { code, output, errors } = await request(...args);
    assertEquals([code, output], [expected, ""], errors);
    assertMatch(errors, message);
  }
});

Deno.test("the command line says which commands there are", async () => {
  const help = await sluice(["--help"]);
  assertEquals(help.code, 0);
  assertMatch(help.output, /^ {2}request {2}Sends .*\n {2}routes {3}Prints /m);
  for (const args of [[], ["route"], ["toString"]]) {
    const { code, errors } = await sluice(args);
    assertEquals(code, 2);
    assertMatch(errors, args.length === 0 ? /needs a command/ : /there is no command (?:route|toString)/);
  }
});
