import { fileURLToPath } from "node:url";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { bundled } from "../contracts/bundled.ts";
import { skipNode } from "../support/node_program.ts";

/** Sends requests to the service one after the other, and returns its responses. */
async function asked(requests: [string, RequestInit?][]): Promise<{ status: number; body: string }[]> {
  const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
  // Fastly's compiler has no Node modules
  const service = await bundled("tests/fixtures/fastly/service.ts", "browser");
  const child = new Deno.Command("node", {
    args: [fixture("fastly/host.mjs"), service, fixture("events/fastly_fetch.json")],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(requests)));
  await writer.close();
  const { stdout, stderr, success } = await child.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { listeners, results } = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(listeners, 1);
  return results;
}

Deno.test(
  "on Fastly, handlers see the request, the client and its location, and variables",
  { ignore: skipNode },
  async () => {
    const init = { method: "POST", body: "grüße", headers: { cookie: "a=1", "content-type": "text/plain" } };
    const [seen] = await asked([["/seen?a=1&b=x%20y", init]]);
    assertEquals(JSON.parse(seen!.body), {
      method: "POST",
      originalUrl: "/seen?a=1&b=x%20y",
      ip: "203.0.113.7",
      query: { a: "1", b: "x y" },
      cookies: { a: "1" },
      body: "grüße",
      city: "berlin",
      variables: ["cache-fra-1", null],
    });
  },
);

Deno.test(
  "on Fastly, background work continues after the answer, whenever it is added",
  { ignore: skipNode },
  async () => {
    const [answered, log, streamed, more] = await asked([["/work"], ["/log"], ["/streamed"], ["/log"]]);
    assertEquals([answered!.body, streamed!.body], ["answered", "first last"]);
    const first = ["in this turn", "after a promise", "added by work"];
    assertEquals(JSON.parse(log!.body), first);
    assertEquals(JSON.parse(more!.body), [...first, "while streaming"]);
  },
);

Deno.test(
  "on Fastly, errors, files and WebSockets get an error answer",
  { ignore: skipNode },
  async () => {
    const handshake = {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    };
    const [failed, file, socket] = await asked([["/fails"], ["/file"], ["/socket", handshake]]);
    assertEquals([failed!.status, file!.status, socket!.status], [500, 500, 501]);
    assertStringIncludes(failed!.body, "thrown on purpose");
    assertStringIncludes(socket!.body, "has no WebSockets on");
  },
);
