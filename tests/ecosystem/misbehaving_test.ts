/** Middleware that misbehaves: what a client sees on Sluice and on real Express under Node, and that nothing is left. */
import { assert, assertEquals } from "@std/assert";
import { run } from "../../scripts/process.ts";
// @ts-types="./misbehaving.d.ts"
import { ENDING } from "./misbehaving.js";
import { startExpressHost } from "./support/express_host.ts";
import type { Told } from "./support/host.ts";
import { askRaw } from "./support/raw_client.ts";
import { startSluiceHost } from "./support/sluice_host.ts";

const ROOT = new URL("../../", import.meta.url);
const TOLD: Told = { side: "", scratch: "", files: "", redis: "", upstream: "", nobody: "" };

/** What a client makes of it. */
interface Outcome {
  readonly path: string;
  readonly cut: boolean;
  readonly status?: number;
  readonly body?: string;
}

async function outcomes(port: number): Promise<Outcome[]> {
  const seen: Outcome[] = [];
  for (const path of ENDING) {
    const { status, bytes, cut } = await askRaw(port, { path });
    // how much of a broken answer has left is a matter of buffers
    seen.push(cut ? { path, cut } : { path, cut, status, body: new TextDecoder().decode(bytes) });
  }
  return seen;
}

/** Asks and goes away; a server must not mind. */
async function askAndLeave(port: number, path: string): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
}

Deno.test("a middleware that misbehaves has the outcome it has on Express, and the process lives", async () => {
  const express = await startExpressHost([]);
  const sluice = await startSluiceHost([]);
  try {
    await Deno.copyFile(new URL("misbehaving.js", import.meta.url), new URL(".cache/ecosystem/misbehaving.js", ROOT));
    const ports = [await sluice.open("../misbehaving", TOLD), await express.open("../misbehaving", TOLD)] as const;
    const [ours, theirs] = [await outcomes(ports[0]), await outcomes(ports[1])];
    assertEquals(ours, theirs);
    for (const port of ports) {
      await askAndLeave(port, "/never-answers");
      await askAndLeave(port, "/never-settles");
      const { status, bytes } = await askRaw(port, { path: "/fine" });
      assertEquals([status, new TextDecoder().decode(bytes)], [200, "fine"]);
    }
  } finally {
    await sluice.stop();
    await express.stop();
  }
});

Deno.test("ten thousand misbehaving requests of every kind leave nothing behind", async () => {
  const { code, output } = await run(Deno.execPath(), [
    ...["run", "-A", "--quiet", "--v8-flags=--expose-gc", "--lock=.cache/ecosystem.lock"],
    new URL("support/leak_probe.ts", import.meta.url).pathname,
  ], { limitMs: 120_000, quiet: true, cwd: ROOT.pathname });
  assertEquals(code, 0, output);
  const grown = JSON.parse(output.trim().split("\n").at(-1)!) as Record<string, number>;
  assertEquals(Object.keys(grown).length, ENDING.length);
  for (const [path, bytes] of Object.entries(grown)) {
    // a single small object kept for each request would be 320 kB and more
    assert(bytes < 250_000, `${path}: 10 000 requests left ${bytes} bytes`);
  }
});
