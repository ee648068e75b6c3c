/** Servers that close, or lose patience, while others of the same program go on. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const SCENARIOS: readonly [name: string, scenario: string, seen: unknown][] = [
  ["a close with a time limit cuts no streams of a server that listens later", "later", ["cut", "whole"]],
  ["a mounted application that closes its own server cuts no streams of its parent", "mounted", [
    "cut",
    "whole",
  ]],
  ["handlers hear that their responses were cut before app.close resolves", "told", ["sent", "silent", "written"]],
  ["a handshake whose client leaves while middleware waits is no error, and is not in progress any more", "left", [
    'http_server_active_requests{http_request_method="GET"} 0',
  ]],
  ["neither is one that app.close cuts", "cut", ['http_server_active_requests{http_request_method="GET"} 0']],
  ["each server has its own time limit for clients that read nothing", "patience", "whole"],
];

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  for (const [title, scenario, seen] of SCENARIOS) {
    Deno.test(`${name}: ${title}`, { ignore }, async () => {
      const [program, ...args] = await command("tests/fixtures/operations/closing.ts");
      const { stdout, stderr } = await new Deno.Command(program, { args: [...args, scenario], cwd: ROOT }).output();
      const decoder = new TextDecoder();
      assertEquals(JSON.parse(decoder.decode(stdout) || "null"), seen, decoder.decode(stderr));
    });
  }
}
