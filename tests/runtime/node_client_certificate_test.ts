/** Clients that identify themselves with a certificate, on Node. */
import { assertEquals } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { bundleForNode, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

Deno.test("a client's certificate is available where Express has it", { ignore: skipNode }, async () => {
  const program = await bundleForNode("tests/fixtures/node/client_certificate.ts");
  const { code, output } = await run("node", [program], { limitMs: PATIENCE_MS, quiet: true });
  assertEquals(code, 0, output);
  const { express, sluice, http2 } = JSON.parse(output.split("\n").find((line) => line.startsWith("{"))!);
  assertEquals([sluice, http2], [express, express]);
  assertEquals(
    express.map(({ name, authorized, same }: Record<string, unknown>) => [name, authorized, same]),
    [["nobody", [false, false], true], ["localhost", [true, true], true]],
  );
});
