import { startServing } from "../../contracts/serving.ts";
import { copyExample, skipTools, tool } from "./packages.ts";
import { checkService, checkSocket, startAudits } from "./service.ts";

Deno.test("the example for Bun runs there, from npm's packages", { ignore: skipTools }, async () => {
  const folder = await copyExample("bun");
  await using audits = startAudits();
  const env = { PORT: "0", SERVICE_NAME: "on Bun", AUDIT_URL: audits.url };
  const { origin, ask, stop } = await startServing(tool("bun"), ["run", `${folder}server.ts`], env);
  try {
    await checkService({ ask, name: "on Bun", audits });
    await checkSocket(origin);
  } finally {
    await stop();
  }
});
