import { assertEquals } from "@std/assert";
import { startServing } from "../../contracts/serving.ts";
import { lockFlag } from "../../support/node_program.ts";
import { checkService, checkSocket, startAudits } from "./service.ts";

const FOLDER = "examples/deploy/deno-deploy/";

Deno.test("the example for Deno Deploy runs with the permissions and the features it names", async () => {
  const { tasks, unstable } = JSON.parse(
    await Deno.readTextFile(new URL(`../../../${FOLDER}deno.json`, import.meta.url)),
  );
  const [deno, serve, ...flags] = tasks.start.split(" ");
  assertEquals([deno, serve, flags.pop()], ["deno", "serve", "main.ts"]);
  assertEquals([flags, unstable], [["--allow-net", "--allow-env"], ["kv"]]);
  const folder = await Deno.makeTempDir({ prefix: "sluice-kv-" });
  await using audits = startAudits();
  // the workspace replaces JSR, and a file the database that all instances share
  const database = [`--allow-read=${folder}`, `--allow-write=${folder}`, "--unstable-kv"];
  const args = ["serve", ...flags, ...database, "--no-prompt", await lockFlag("deploy_deno")];
  const env = { SERVICE_NAME: "on Deno", AUDIT_URL: audits.url, DENO_KV_DEFAULT_PATH: `${folder}/kv.sqlite` };
  const start = () =>
    startServing(Deno.execPath(), [...args, "--host", "127.0.0.1", "--port", "0", `${FOLDER}main.ts`], env);
  try {
    const one = await start();
    try {
      await checkService({ ask: one.ask, name: "on Deno", audits });
      await checkSocket(one.origin);
    } finally {
      await one.stop();
    }
    const other = await start();
    try {
      const { status, body } = await other.ask("/convert/1/m/m");
      await body?.cancel();
      assertEquals(status, 429, "another instance does not know what this client has had");
    } finally {
      await other.stop();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
