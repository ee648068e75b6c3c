/** `req.request` from the Node adapter: a `Request` from the runtime itself; and bodies for all methods. */
import { assertEquals } from "@std/assert";
import { askAll } from "../ecosystem/support/ask_all.ts";
import { skipNode, startDeno, startNode } from "../support/node_program.ts";

const PROGRAM = "tests/fixtures/node/web_objects.ts";

/** Each use, with its result for GET and for a POST with `hello`. */
const USES: readonly [use: string, get: unknown, post: unknown][] = [
  ["class", [true, true, "[object Request]"], [true, true, "[object Request]"]],
  ["copied", ["GET", "/copied", "1", null], ["POST", "/copied", "1", "hello"]],
  ["changed", ["GET", "/changed", "2", null], ["POST", "/changed", "2", "hello"]],
  ["moved", ["GET", "/elsewhere", "1", null], ["POST", "/elsewhere", "1", "hello"]],
  [
    "cloned",
    [["GET", "/cloned", "1", null], ["GET", "/cloned", "1", null]],
    [["POST", "/cloned", "1", "hello"], ["POST", "/cloned", "1", "hello"]],
  ],
  ["called", ["GET", false, "1", ""], ["POST", false, "1", "hello"]],
  ["headers", [true, "1"], [true, "1"]],
  ["body", null, "hello"],
  ["bytes", 0, 5],
  ["signal", [true, false], [true, false]],
  ["fetched", ["GET", "/told", "1", null], ["POST", "/told", "1", "hello"]],
  ["itself", ["GET", "/itself", "1", null], ["POST", "/itself", "1", "hello"]],
];

const HEADERS = { "x-a": "1" };

for (const [runtime, start, ignore] of [["Node", startNode, skipNode], ["Deno", startDeno, false]] as const) {
  const onRuntime = (name: string, test: (at: (server: string) => string) => Promise<void>) =>
    Deno.test(`on ${runtime}, ${name}`, { ignore }, async () => {
      await using program = await start(PROGRAM);
      const ports = JSON.parse(program.line) as Record<string, number>;
      await test((server) => `http://127.0.0.1:${ports[server]}`);
    });

  onRuntime(
    "req.request is a Request of the runtime, which may be copied, cloned, passed on and taken apart",
    async (at) => {
      for (const [use, get, post] of USES) {
        const ask = async (init: RequestInit) =>
          await (await fetch(`${at("ours")}/${use}`, { headers: HEADERS, ...init })).json();
        assertEquals([use, await ask({}), await ask({ method: "POST", body: "hello" })], [use, get, post]);
        // without a length it is chunked, and fetch would not declare the length on its own
        const chunks = new Blob(["hello"]).stream();
        assertEquals([use, await ask({ method: "POST", body: chunks })], [use, post]);
      }
    },
  );

  onRuntime("a body is read once, by whomever, and req.request knows", async (at) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' };
    const ask = async (path: string) => await (await fetch(`${at("ours")}${path}`, init)).json();
    assertEquals(await ask("/used"), [true, "TypeError", "TypeError", "TypeError"]);
    assertEquals(await ask("/parsed-before"), [{ a: 1 }, true, true, "TypeError", "TypeError"]);
    assertEquals(await ask("/parsed-after"), [{ a: 1 }, true]);
    assertEquals(await ask("/cloned-before"), [{ a: 1 }, '{"a":1}']);
    assertEquals(await ask("/partly-read"), [true, "TypeError", "TypeError"]);
    assertEquals(await ask("/listened-before"), [true, "TypeError", "TypeError", '{"a":1}']);
    assertEquals(await ask("/listened-after"), ['{"a":1}', true, "TypeError"]);
  });

  onRuntime("method and target of req.request are as they were sent", async (at) => {
    const asks = [{ path: "/method/../x" }, { path: "/method?a=%2e%2e", method: "TRACE" }];
    const seen = await askAll(Number(new URL(at("ours")).port), asks);
    assertEquals(seen.map(({ answer }) => JSON.parse(answer.body)), [["GET", "/method/../x"], [
      "TRACE",
      asks[1]!.path,
    ]]);
  });

  onRuntime("code around the application gets a Request, too, and its answer", async (at) => {
    const answer = await fetch(`${at("around")}/told`, { method: "POST", body: "hello", headers: HEADERS });
    const told = ["POST", "/told", "1", "hello"];
    assertEquals([await answer.json(), JSON.parse(answer.headers.get("x-around")!)], [told, told]);
  });

  onRuntime("a body that the host has read is there for parsers and for req.request", async (at) => {
    const init = { method: "POST", headers: { ...HEADERS, "content-type": "application/json" }, body: '{"a":1}' };
    const ask = async (path: string) => await (await fetch(`${at("hosted")}${path}`, init)).json();
    assertEquals(await ask("/told"), ["POST", "/told", "1", '{"a":1}']);
    assertEquals(await ask("/parsed-after"), [{ a: 1 }, true]);
    assertEquals(await ask("/parsed-before"), [{ a: 1 }, true, true, "TypeError", "TypeError"]);
  });

  onRuntime(
    "the body of a request of any method is there for parsers, listeners and loops, as on Express",
    async (at) => {
      const asks = ["GET", "HEAD", "DELETE", "OPTIONS", "POST", "TRACE"].flatMap((method) =>
        ["json", "text", "npm", "listened", "looped", "unread", "is"].map((reader) => ({
          method,
          path: `/body/${reader}`,
          headers: { "content-type": "application/json" },
          body: '{"a":1}',
        }))
      );
      const bodies = async (server: string) =>
        (await askAll(Number(new URL(at(server)).port), asks)).map(({ ask, answer }) => [
          ask,
          answer.status,
          answer.headers["x-body"],
        ]);
      const ours = await bodies("ours");
      assertEquals(ours, await bodies("theirs"));
      assertEquals(ours[0]!.slice(1), [200, '{"a":1}']);
      const web = { ...asks[0]!, path: "/body/web" };
      assertEquals((await askAll(Number(new URL(at("ours")).port), [web]))[0]!.answer.headers["x-body"], '{"a":1}');
    },
  );
}
