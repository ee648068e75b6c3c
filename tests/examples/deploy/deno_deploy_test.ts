import { assertEquals } from "@std/assert";
import { startServing } from "../../contracts/serving.ts";
import { packageFlags } from "../../support/node_program.ts";
import { checkService, checkSocket, startAudits } from "./service.ts";

const FOLDER = "examples/deploy/deno-deploy/";

Deno.test("the example for Deno Deploy runs with the permissions and the features it names", async () => {
  const { tasks, unstable, deploy } = JSON.parse(
    await Deno.readTextFile(new URL(`../../../${FOLDER}deno.json`, import.meta.url)),
  );
  const [deno, run, ...flags] = tasks.start.split(" ");
  assertEquals([deno, run, flags.pop()], ["deno", "run", deploy.runtime.entrypoint]);
  assertEquals([flags, unstable], [["--allow-net", "--allow-env"], ["kv"]]);
  const folder = await Deno.makeTempDir({ prefix: "sluice-kv-" });
  await using audits = startAudits();
  // the workspace replaces JSR, and a file replaces the shared database
  const database = [`--allow-read=${folder}`, `--allow-write=${folder}`, "--unstable-kv"];
  const args = [
    "run",
    ...flags,
    ...database,
    "--no-prompt",
    ...await packageFlags("deploy_deno"),
    `${FOLDER}main.ts`,
  ];
  const env = {
    PORT: "0",
    SERVICE_NAME: "on Deno",
    AUDIT_URL: audits.url,
    DENO_KV_DEFAULT_PATH: `${folder}/kv.sqlite`,
  };
  const start = () => startServing(Deno.execPath(), args, env);
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
    assertEquals(await endByDeploy(args, env), 0, "an instance does not end when Deno Deploy asks it to");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Starts an instance and ends it as Deno Deploy does. */
async function endByDeploy(args: string[], env: Record<string, string>): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), { args, env, stdin: "null", stdout: "piped" }).spawn();
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (text.includes("Listening")) child.kill("SIGINT");
  }
  return (await child.status).code;
}
