import { assertEquals } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { bundled } from "../contracts/bundled.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");

Deno.test("a fetch event passed beside the request is kept alive by background work", {
  ignore: runtimes === undefined,
}, async () => {
  const host = `${runtimes}edge_background.mjs`;
  await Deno.copyFile(new URL("../fixtures/edge/host.mjs", import.meta.url), host);
  const program = await bundled("tests/fixtures/edge/background.ts");
  const { output } = await run("node", [host, program], { limitMs: PATIENCE_MS, quiet: true });
  assertEquals(JSON.parse(output), ["0", "1"]);
});
