import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { validate, ValidationSeverity } from "dockerfile-utils";
import { buildContainer, type Container } from "./container.ts";
import { packages } from "./packages.ts";
import { asClient, checkService, checkSocket, startAudits } from "./service.ts";
import { skipNode } from "../../support/node_program.ts";

const CONTEXT = fileURLToPath(new URL("../../../examples/deploy/node-docker/", import.meta.url));

const STRICT = {
  deprecatedMaintainer: ValidationSeverity.ERROR,
  directiveCasing: ValidationSeverity.ERROR,
  emptyContinuationLine: ValidationSeverity.ERROR,
  instructionCasing: ValidationSeverity.ERROR,
  instructionCmdMultiple: ValidationSeverity.ERROR,
  instructionEntrypointMultiple: ValidationSeverity.ERROR,
  instructionHealthcheckMultiple: ValidationSeverity.ERROR,
  instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
  instructionWorkdirRelative: ValidationSeverity.ERROR,
};

function lint(dockerfile: string): string[] {
  return validate(dockerfile, STRICT).map(({ message }) => String(message));
}

Deno.test("a linter finds no problems in the Dockerfile", async () => {
  const dockerfile = await Deno.readTextFile(`${CONTEXT}Dockerfile`);
  assertEquals(lint(dockerfile), []);
  assertEquals(lint(dockerfile.replace("HEALTHCHECK --interval", "HEALTHCHECK --intervall")).length, 1);
  for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) assert(/:\d/.test(image!), `${image} has no version`);
  const ignored = (await Deno.readTextFile(`${CONTEXT}.dockerignore`)).split("\n");
  for (const name of [".git", "dist", "node_modules"]) assert(ignored.includes(name), `${name} is sent to Docker`);
});

Deno.test(
  "the container serves, is healthy, and ends when Docker stops it",
  { ignore: skipNode },
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "sluice-container-" });
    try {
      const container = await build(`${folder}/`);
      assert(container.user !== "root", "the service runs as root");
      await using audits = startAudits();
      const port = freePort();
      const env = { PORT: String(port), PROXIES: "1", SERVICE_NAME: "in Docker", AUDIT_URL: audits.url };
      const service = await start(container, env);
      try {
        const origin = `http://127.0.0.1:${port}`;
        const ask = asClient((path, init) => fetch(origin + path, init), "198.51.100.1");
        await checkService({ ask, name: "in Docker", audits, otherClient: { "x-forwarded-for": "198.51.100.2" } });
        await checkSocket(origin);
        assertEquals(await exitCode(container, env), 0, "the health check fails");
        service.kill("SIGTERM");
        assertEquals((await service.status).code, 0, "SIGTERM does not end the service as it should");
        assertEquals(await exitCode(container, env), 1, "the health check passes where nothing listens");
      } finally {
        end(service);
        await service.status;
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

/** Builds the image; npm installs this checkout's packages, and everything else as usual. */
async function build(folder: string): Promise<Container> {
  const context = `${folder}context/`;
  await Deno.mkdir(folder, { recursive: true });
  await cp(CONTEXT, context, { recursive: true });
  const manifest = JSON.parse(await Deno.readTextFile(`${context}package.json`));
  const tarballs = await packages();
  const ours = Object.keys(manifest.dependencies).filter((name) => name in tarballs);
  assert(ours.includes("@sluice/sluice"), `package.json names ${ours}`);
  for (const name of ours) manifest.dependencies[name] = `file:${tarballs[name]}`;
  await Deno.writeTextFile(`${context}package.json`, JSON.stringify(manifest));
  return await buildContainer(await Deno.readTextFile(`${context}Dockerfile`), context, folder);
}

async function start(
  { command, workdir, env }: Container,
  variables: Record<string, string>,
): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(command[0]!, {
    args: command.slice(1),
    cwd: workdir,
    env: { ...env, ...variables },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (text.includes("Listening")) return child;
  }
  throw new Error("the service ended before it listened");
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // it has already exited
  }
}

async function exitCode({ healthcheck, workdir, env }: Container, variables: Record<string, string>): Promise<number> {
  const [program = "", ...args] = healthcheck;
  return (await new Deno.Command(program, { args, cwd: workdir, env: { ...env, ...variables } }).output()).code;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
