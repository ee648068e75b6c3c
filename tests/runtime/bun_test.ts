import { assertEquals, assertMatch } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { bundled } from "../contracts/bundled.ts";
import { startServing } from "../contracts/serving.ts";
import { opened, readUntil } from "../support/raw_client.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");

Deno.test("on Bun, an application listens, closes properly, listens again, and says what an upgrade needs", {
  ignore: runtimes === undefined,
}, async () => {
  const program = await bundled("tests/fixtures/bun_lifecycle.ts");
  const { output } = await run(`${runtimes}node_modules/.bin/bun`, [program], { limitMs: PATIENCE_MS, quiet: true });
  assertEquals(JSON.parse(output), {
    serves: "served",
    inFlight: "answered",
    closed: "refused",
    server: null,
    again: "served",
    taken: "EADDRINUSE",
    socket: 1001,
    deadline: [503, "told"],
    late: 503,
    exported: { idleTimeout: 0 },
    noServer: [501, "WebSockets on Bun need its server as the second argument: app.fetch(request, server)"],
    noHandlers: [501, "WebSockets on Bun need Bun.serve({ fetch: app.fetch, websocket: app.websocket })"],
    mounted: [
      501,
      "Bun upgrades only requests that its server delivers; mount applications with app.use, not app.mount",
    ],
  });
});

Deno.test("on Bun, an application that listens itself and is also exported is served once", {
  ignore: runtimes === undefined,
}, async () => {
  const program = await bundled("tests/fixtures/bun_listens_and_exports.ts");
  const { code, output } = await run(`${runtimes}node_modules/.bin/bun`, [program], {
    limitMs: PATIENCE_MS,
    quiet: true,
    env: { PORT: "0" },
  });
  // a second server would print its address, and keep the process running
  assertEquals([code, JSON.parse(output)], [0, { answer: "served", stop: ["undefined", "undefined"] }]);
});

Deno.test(
  "on Bun, files of up to 1 MiB have a length, so have ranges of them, and what fetch decompressed is sent so",
  {
    ignore: runtimes === undefined,
  },
  async () => {
    const program = await bundled("tests/fixtures/bun_files.ts");
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, "x".repeat(300_000));
    const { output } = await run(`${runtimes}node_modules/.bin/bun`, [program, file], {
      limitMs: PATIENCE_MS,
      quiet: true,
    });
    await Deno.remove(file);
    const [part, whole] = [[206, "298999", 298_999], [200, "300000", 300_000]];
    const ways = ["static", "sent", "download"].flatMap((way) => [
      [`${way} bytes=0-`, [206, "300000", 300_000]],
      [`${way} bytes=1000-299998`, part],
      [way, whole],
    ]);
    assertEquals(JSON.parse(output), { ...Object.fromEntries(ways), fetched: [null, true] });
  },
);

for (
  const [name, scenario, seen] of [
    ["a limiter knows clients that have left before it is asked", "limited", ["127.0.0.1", "limited"]],
    ["so does a program that reads addresses", "read", ["127.0.0.1", "127.0.0.1", "127.0.0.1"]],
    ["one that never did does not know the first such client", "unread", [null, "127.0.0.1"]],
  ] as const
) {
  Deno.test(`on Bun, ${name}`, { ignore: runtimes === undefined }, async () => {
    const program = await bundled("tests/fixtures/bun_addresses.ts");
    const { output } = await run(`${runtimes}node_modules/.bin/bun`, [program, scenario], {
      limitMs: PATIENCE_MS,
      quiet: true,
    });
    assertEquals(JSON.parse(output), seen);
  });
}

Deno.test("on Bun, a large upload also reaches an exported application", {
  ignore: runtimes === undefined,
}, async () => {
  const program = await bundled("tests/contracts/entries/exported.ts");
  const { origin, stop } = await startServing(`${runtimes}node_modules/.bin/bun`, [program], { PORT: "0" });
  const head = `POST /verbs HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 ** 30}\r\n\r\n`;
  const client = await opened({ port: Number(new URL(origin).port) }, head);
  const response = await readUntil(client, "\r\n\r\n");
  client.close();
  await stop();
  assertMatch(response, /^HTTP\/1\.1 200 /);
});
