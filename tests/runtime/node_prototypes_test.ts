/** On Node, requests and responses inherit from Node's, as in Express. */
import { assertEquals } from "@std/assert";
import { skipNode, startNode } from "../support/node_program.ts";

Deno.test("on Node, requests and responses are instances of Node's classes, whose prototypes may be extended", {
  ignore: skipNode,
}, async () => {
  await using program = await startNode("tests/fixtures/node/node_prototypes.ts");
  const ports = JSON.parse(program.line) as Record<"ours" | "express", number>;
  const seen = async (port: number): Promise<Record<string, unknown>> => {
    const init = { method: "POST", headers: { "x-a": "1" }, body: "hello" };
    return await (await fetch(`http://127.0.0.1:${port}/`, init)).json();
  };
  const ours = await seen(ports.ours);
  assertEquals(ours, await seen(ports.express));
  assertEquals(ours["request"], ["IncomingMessage", "Readable", "Stream", "EventEmitter"]);
  assertEquals(ours["response"], ["Stream", "EventEmitter", "ServerResponse", "OutgoingMessage"]);
  assertEquals(ours["added"], "POST /");
  const asks = [["/named"], ["/inner/a"], ["/mapped", { method: "POST", body: "hello" }]] as const;
  for (const [path, init] of asks) {
    const [mine, theirs] = await Promise.all(
      [ports.ours, ports.express].map(async (port) => {
        const { status, headers, body } = await fetch(`http://127.0.0.1:${port}${path}`, init);
        return [status, headers.get("x-b"), await new Response(body).text()];
      }),
    );
    assertEquals(mine, theirs);
  }
});
