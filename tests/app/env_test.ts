import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import sluice from "@sluice/sluice";
import { defaultEnv } from "../../src/app/default_env.ts";
import { fastlyPlatform } from "../../src/fastly/fastly_platform.ts";
import { lambdaPlatform } from "../../src/lambda/lambda_platform.ts";
import { bunPlatform } from "../../src/platform/bun/bun_platform.ts";
import { cloudflarePlatform } from "../../src/platform/cloudflare/cloudflare_platform.ts";
import { genericPlatform } from "../../src/platform/shared/generic_platform.ts";
import type { Platform } from "../../src/platform/shared/platform.ts";
import { packageFlags } from "../support/node_program.ts";

const WARNING = "NODE_ENV cannot be read, so this runs in production mode: clients see no error details, views " +
  'are cached. Start it with --allow-env=NODE_ENV, or call app.set("env", "development") or app.set("env", "production")';

const NETWORK = ["--allow-net=127.0.0.1", "--no-prompt"];

async function served(flags: readonly string[], args: readonly string[], env: Record<string, string>) {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-check",
      ...await packageFlags("env_program"),
      ...flags,
      "tests/fixtures/env_program.ts",
      ...args,
    ],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: { NODE_ENV: "", NO_COLOR: "1", ...env },
  }).output();
  const decoder = new TextDecoder();
  return [JSON.parse(decoder.decode(stdout)), decoder.decode(stderr).trim()];
}

for (const NODE_ENV of ["production", "development", ""]) {
  Deno.test(`NODE_ENV=${NODE_ENV} that Deno may not read is production: no stack, one line says so`, async () => {
    assertEquals(await served(NETWORK, [], { NODE_ENV }), [["production", true, false], WARNING]);
  });

  Deno.test(`NODE_ENV=${NODE_ENV} that Deno may read decides`, async () => {
    const expected = NODE_ENV === "production" ? ["production", true, false] : ["development", false, true];
    assertEquals(await served([...NETWORK, "--allow-env=NODE_ENV"], [], { NODE_ENV }), [expected, ""]);
  });
}

Deno.test("a program that sets env itself needs no permission, but its other applications are told of", async () => {
  assertEquals(await served(NETWORK, ["set"], { NODE_ENV: "production" }), [["development", true, true], WARNING]);
});

Deno.test("without NODE_ENV, an application is in development only on runtimes where programs are developed", () => {
  const unset = (platform: Platform) => defaultEnv({}, { ...platform, env: () => undefined });
  assertEquals([genericPlatform(), bunPlatform()].map(unset), ["development", "development"]);
  const deployed = [cloudflarePlatform(), fastlyPlatform(() => undefined), lambdaPlatform];
  assertEquals(deployed.map(unset), ["production", "production", "production"]);
  const { process } = globalThis;
  try {
    Object.defineProperty(globalThis, "process", { value: undefined, configurable: true });
    assertEquals(unset(genericPlatform()), "production");
  } finally {
    Object.defineProperty(globalThis, "process", { value: process, configurable: true, writable: true });
  }
});

Deno.test("an empty NODE_ENV counts as none, as in Express", () => {
  assertEquals(defaultEnv({}, { ...bunPlatform(), env: () => "" }), "development");
  assertEquals(sluice().get("env"), "test");
});
