/**
 * `deno task bench:uws`: the service from `bench:node` on uWebSockets.js and on Node's own server, with the same flags:
 * hand-written on both, Sluice on both, ultimate-express, fastify and Express, as ratios to hand-written `node:http`.
 * Then, unless only part of it is measured, WebSockets: an echo, and a message to all subscribers to a topic, compared
 * with `ws`. About half an hour in full.
 */
import { SCENARIOS } from "../service/scenarios.ts";
import { buildOwn, type Packages } from "../support/packages.ts";
import { writeSections } from "../support/page.ts";
import type { ServerCommand } from "../support/server.ts";
import { underNode } from "../wire/commands.ts";
import { ON_UWS } from "../wire/comparison.ts";
import { runField } from "../wire/field.ts";
import { enginePackages } from "./engine_packages.ts";
import { SOCKETS, socketTable } from "./sockets.ts";

const packagesFile = await enginePackages();

async function start(packages: Packages, path: string, ...args: string[]): Promise<ServerCommand> {
  const command = await underNode(packages, path, ...args);
  return { program: "env", args: [`SLUICE_UWS_PACKAGES=${packagesFile}`, command.program, ...command.args] };
}

await runField({
  section: "uws",
  runtime: "Node, with uWebSockets.js",
  contestants: ON_UWS,
  scenarios: SCENARIOS,
  program: "serve_uws.ts",
  start,
  page: "uws.md",
});

if (!Deno.args.some((arg) => /^--(?:only|contestants|headers|against)\b/.test(arg))) {
  const packages = await buildOwn();
  const commands = new Map<string, ServerCommand>();
  for (const name of SOCKETS.keys()) commands.set(name, await start(packages, "serve_uws_sockets.ts", name));
  const text = await socketTable(commands, { rounds: 5, seconds: 1 });
  console.log(`\n${text}`);
  if (Deno.args.includes("--write")) await writeSections(new Map([["uws-sockets", text]]), "uws.md");
}
