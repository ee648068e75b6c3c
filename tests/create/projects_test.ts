/** Installs, tests and starts every project that can be created, as users would. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { validate, ValidationSeverity } from "dockerfile-utils";
import { type Runtime, RUNTIMES, type Template, templatesFor } from "../../create/src/choices.ts";
import { commandsOf } from "../../create/src/project_files.ts";
import { RANGES } from "../../create/src/versions.ts";
import { buildContainer } from "../examples/deploy/container.ts";
import { skipTools } from "../examples/deploy/packages.ts";
import { type Registry, startRegistry } from "../npm/support/registry.ts";
import { skipNode } from "../support/node_program.ts";
import { filesIn, inProject, makeSite, type Site, start, type Started, writeProject } from "./support/project.ts";

const { version } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
const ignore = skipNode || skipTools;
/** A Wrangler for the tests' Node version; newer ones need Node 22. */
const OLD_WRANGLER = "4.86.0";

let site: Site;
let registry: Registry;
if (!ignore) {
  registry = await startRegistry();
  globalThis.addEventListener("unload", () => void registry.stop());
  site = await makeSite(registry);
}

/** Requests to each application, over a socket. */
const QUESTIONS: Readonly<Record<Template, (origin: string) => Promise<void>>> = {
  async api(origin) {
    const headers = { "content-type": "application/json" };
    const added = await fetch(`${origin}/notes`, { method: "POST", headers, body: `{ "text": "Buy milk" }` });
    assertEquals([added.status, await added.json()], [201, { id: 1, text: "Buy milk" }]);
    const read = await fetch(`${origin}/notes/1`);
    assertEquals([read.headers.get("x-ratelimit-remaining"), await read.json()], ["98", { id: 1, text: "Buy milk" }]);
  },
  async views(origin) {
    const body = new URLSearchParams({ name: "Ann" });
    assertStringIncludes(await textOf(`${origin}/guests`, { method: "POST", body }), "<li>Ann</li>");
    assertStringIncludes(await textOf(`${origin}/public/style.css`), "font-family");
  },
  async websocket(origin) {
    assertStringIncludes(await textOf(`${origin}/`), "new WebSocket");
    const socket = new WebSocket(`${origin}/rooms/tea`);
    const heard = new Promise((resolve, reject) => {
      socket.onopen = () => socket.send("Hello");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = reject;
    });
    assertEquals(await heard, "Hello");
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  },
  async worker(origin) {
    assertEquals(JSON.parse(await textOf(`${origin}/greetings/Ann`)), { greeting: "Hello, Ann" });
  },
};

async function textOf(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  const text = await response.text();
  assertEquals(response.status, 200, text);
  return text;
}

/** Sends a server its requests, then stops it. */
async function checkServer({ origin, end }: Started, template: Template): Promise<void> {
  try {
    await QUESTIONS[template](origin);
  } catch (error) {
    await end();
    throw error;
  }
  assertEquals(await end(), 0, "SIGTERM does not end it as it should");
}

/** Commands that do not exit, or need an account. */
const ENDLESS = /run dev|task dev|deploy/;

/** Checks that everything listed in AGENTS.md exists, and that its commands work. */
async function checkAgentsFile(folder: string, runtime: Runtime): Promise<void> {
  const text = await Deno.readTextFile(`${folder}AGENTS.md`);
  for (const [, path] of text.matchAll(/`((?:src|test|views|public|node_modules)\/[^`]*|wrangler\.jsonc)`/g)) {
    // Deno keeps JSR packages outside project folders
    await Deno.stat(folder + path);
  }
  const lines = text.match(/^```sh\n(.*?)^```$/ms)![1]!.trim().split("\n").map((line) => line.replace(/ +#.*$/, ""));
  const { install, test } = commandsOf(runtime);
  assert(lines.includes(install) && lines.includes(test), lines.join());
  for (const line of lines.filter((one) => one.includes("sluice") && !ENDLESS.test(one))) {
    const output = await inProject(site, folder, line);
    if (line.includes(" routes ")) assertMatch(output, /^(?:GET|WS) \//m, line);
    if (!line.includes(" request ")) continue;
    // the program's logs follow; before it, npm and Deno print the command they run
    const [response] = output.match(/^\{$.*?^\}$/ms)!;
    assert([200, 404].includes(JSON.parse(response).status), output);
  }
}

/** The command in a project's Dockerfile, as it runs in production. */
async function productionCommand(folder: string): Promise<string[]> {
  return JSON.parse((await Deno.readTextFile(`${folder}Dockerfile`)).match(/^CMD (.*)$/m)![1]!);
}

const ENV = { PORT: "0", NODE_ENV: "production" };
const written = new Map<string, Promise<string>>();

/** A project, created only once. */
function projectOn(runtime: Runtime, template: Template): Promise<string> {
  const key = `${runtime} ${template}`;
  const folder = written.get(key) ?? writeProject(site, runtime, template);
  written.set(key, folder);
  return folder;
}

for (const runtime of ["node", "deno", "bun"] as const) {
  for (const template of templatesFor(runtime)) {
    Deno.test(
      `the project "${template}" on ${RUNTIMES[runtime]} passes its tests, serves and ends`,
      { ignore },
      async () => {
        const folder = await projectOn(runtime, template);
        const files = await filesIn(folder);
        assert(files.length <= 11, files.join());
        const { install, test } = commandsOf(runtime);
        await inProject(site, folder, install);
        await inProject(site, folder, test);
        if (runtime === "deno") await inProject(site, folder, "deno fmt --check && deno lint");
        if (runtime === "node") await inProject(site, folder, "npm run build");
        if (runtime === "bun") await inProject(site, folder, "bun run check");
        await checkAgentsFile(folder, runtime);
        await checkServer(await start(await productionCommand(folder), folder, { ...site.env, ...ENV }), template);
      },
    );
  }

  Deno.test(`the Dockerfile of ${RUNTIMES[runtime]} makes a container that serves, as another user than root`, {
    ignore,
  }, async () => {
    const folder = await projectOn(runtime, "views");
    const text = await Deno.readTextFile(`${folder}Dockerfile`);
    assertEquals(lint(text), []);
    for (const [, image] of text.matchAll(/^FROM (\S+)/gm)) assert(/:\D*\d/.test(image!), `${image} has no version`);
    const { command, workdir, env, user } = await buildContainer(
      text,
      folder,
      `${site.path}container-${runtime}-`,
      site.env,
    );
    assert(user !== "root");
    assertEquals(env["NODE_ENV"], "production");
    await checkServer(await start(command, workdir, { ...site.env, ...env, ...ENV }), "views");
  });
}

Deno.test("the project for Workers passes its tests, and serves", { ignore }, async () => {
  const folder = await projectOn("workers", "worker");
  const files = await filesIn(folder);
  assert(files.length <= 11, files.join());
  await inProject(site, folder, `npm install --save-dev --save-exact wrangler@${OLD_WRANGLER}`);
  for (const line of ["npm run check", "npm test"]) await inProject(site, folder, line);
  await checkAgentsFile(folder, "workers");
  // the command behind "npm run dev"; npm would not pass on the signal
  const { scripts } = JSON.parse(await Deno.readTextFile(`${folder}package.json`));
  const command = [...`node_modules/.bin/${scripts.dev}`.split(" "), "--ip", "127.0.0.1", "--port", "0"];
  await checkServer(await start(command, folder, site.env), "worker");
});

Deno.test("projects ask for ranges of what they need, and for Sluice of the same version", () => {
  for (const name of ["@sluice/sluice", "@sluice/rate-limit"]) assertEquals(RANGES[name], `^${version}`);
  for (const [name, range] of Object.entries(RANGES)) assertMatch(range, /^\^\d+\.\d+\.\d+$/, name);
});

const STRICT = {
  deprecatedMaintainer: ValidationSeverity.ERROR,
  instructionCasing: ValidationSeverity.ERROR,
  instructionCmdMultiple: ValidationSeverity.ERROR,
  instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
  instructionWorkdirRelative: ValidationSeverity.ERROR,
};

function lint(dockerfile: string): string[] {
  return validate(dockerfile, STRICT).map(({ message }) => String(message));
}
