/** Mounted in Express, behind middleware that replaces methods on Node's response to inspect it. */
import { assertEquals } from "@std/assert";
import { askAll } from "../ecosystem/support/ask_all.ts";
import { compare } from "../ecosystem/support/compare.ts";
import { skipNode, startDeno, startNode } from "../support/node_program.ts";
import { askUntil, text } from "../support/node_servers.ts";
import { opened, readUntil } from "../support/raw_client.ts";

const PROGRAM = "tests/fixtures/node/hooks.ts";

const whole = ["/text", "/json", "/file", "/large", "/later"];
const without = ["/redirected", "/none", "/fails", "/nowhere"];
const ASKS = [
  ...[...whole, ...without].map((path) => ({ path })),
  ...whole.map((path) => ({ path, headers: { "Accept-Encoding": "gzip" } })),
  { path: "/fresh", headers: { "If-None-Match": '"a"' } },
  { method: "HEAD", path: "/json" },
  { method: "POST", path: "/body", headers: { "Content-Type": "application/json" }, body: '{"a":[1]}' },
];

for (const [runtime, start, ignore] of [["Node", startNode, skipNode], ["Deno", startDeno, false]] as const) {
  Deno.test(`on ${runtime}, what is mounted behind compression and sessions is sent as Express sends it`, {
    ignore,
  }, async () => {
    await using program = await start(PROGRAM);
    const { port, fronts } = JSON.parse(program.line) as { port: number; fronts: string[] };
    for (const front of fronts) {
      const asked = async (side: string) => {
        const at = ({ path }: { path: string }) => ({ path: `/${side}/${front}${path}`, ignore: ["x-response-time"] });
        const answers = await askAll(port, ASKS.map((ask) => ({ ...ask, ...at(ask) })));
        return { answers, logged: await text(`http://127.0.0.1:${port}/lines`) };
      };
      const [ours, theirs] = [await asked("ours"), await asked("real")];
      const differing = ours.answers.flatMap((mine, at) => {
        const found = compare(mine, theirs.answers[at]!, { masks: [/ours|real/g] });
        return found.length > 0 ? [{ ask: mine.ask, found }] : [];
      });
      assertEquals([differing, ours.logged], [[], theirs.logged], front);
    }
  });

  Deno.test(
    `on ${runtime}, headers flushed behind compression and sessions are sent, and a client that leaves is noticed`,
    {
      ignore,
    },
    async () => {
      await using program = await start(PROGRAM);
      const { port } = JSON.parse(program.line) as { port: number };
      const client = await opened({ port }, "GET /ours/all/flushed HTTP/1.1\r\nHost: x\r\n\r\n");
      assertEquals((await readUntil(client, "\r\n\r\n")).split("\r\n")[0], "HTTP/1.1 200 OK");
      client.close();
      await askUntil(() => text(`http://127.0.0.1:${port}/lines`), (lines) => lines.includes('"left"'));
    },
  );
}

// Deno's own node:http has no socket that accepts bytes
Deno.test(
  "on Node, informational responses and raw bytes written to req.socket reach the client, and end closes the connection",
  {
    ignore: skipNode,
  },
  async () => {
    await using program = await startNode(PROGRAM);
    const { port } = JSON.parse(program.line) as { port: number };
    for (const side of ["ours", "real"]) {
      const path = `/${side}/all`;
      const hinted = await opened({ port }, `GET ${path}/hinted HTTP/1.1\r\nHost: x\r\n\r\n`);
      const lines = (await readUntil(hinted, "text")).split("\r\n");
      assertEquals(lines.slice(0, 4), ["HTTP/1.1 103 Early Hints", "Link: </number.css>", "", "HTTP/1.1 200 OK"], side);
      hinted.close();
      const informed = await opened({ port }, `GET ${path}/informed HTTP/1.1\r\nHost: x\r\n\r\n`);
      const heads = (await readUntil(informed, "xt")).split("\r\n");
      assertEquals(
        heads.slice(0, 7),
        [
          ...["HTTP/1.1 102 Processing", "", "HTTP/1.1 103 Early Hints", "Link: </a.css>; rel=preload", "x-b: 1", ""],
          "HTTP/1.1 200 OK",
        ],
        side,
      );
      informed.close();
      const ended = await opened({ port }, `GET ${path}/ended HTTP/1.1\r\nHost: x\r\n\r\n`);
      assertEquals((await new Response(ended.readable).text()).split("\r\n")[0], "HTTP/1.1 400 Bad Request", side);
    }
  },
);

Deno.test("on Node, a listener before the application's has changed the request and the response", {
  ignore: skipNode,
}, async () => {
  await using program = await startNode("tests/fixtures/node/touched.ts");
  const ports = JSON.parse(program.line) as Record<string, number>;
  const seen = async (name: string, query = ""): Promise<[number, unknown]> => {
    const response = await fetch(`http://127.0.0.1:${ports[name]}/${query}`);
    return [response.status, await response.json()];
  };
  const touched = { tenant: "acme", added: "yes", front: "1", status: 202 };
  assertEquals(await seen("alone"), [200, { status: 200 }]);
  for (const name of ["in front", "around"]) {
    assertEquals(await seen(name), [202, touched]);
    assertEquals(await seen(name, "?only=properties"), [200, { tenant: "acme", added: "yes", status: 200 }]);
  }
});
