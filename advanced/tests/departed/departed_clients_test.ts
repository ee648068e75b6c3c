/** Disconnects on real servers: they cost a client nothing, so they must neither settle a charge nor free a slot. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { LISTENING_RUNTIMES, type ListeningRuntime } from "../../../tests/support/listening_runtimes.ts";
import { skipNode, startDeno, startNode } from "../../../tests/support/node_program.ts";
import { type Program, startProgram } from "../../../tests/support/program.ts";
import { ask, HANDSHAKE, opened, type RawServer, readUntil, requestHead } from "../../../tests/support/raw_client.ts";
import { until } from "../../../tests/support/until.ts";
import type { Figures } from "./watched_service.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

async function started(command: ListeningRuntime["command"], path: string): Promise<Program> {
  const [executable, ...args] = await command(path);
  return await startProgram(executable, args, { cwd: ROOT, env: { NODE_ENV: "test" } });
}

async function seen(server: RawServer): Promise<Figures> {
  return JSON.parse(await ask(server, "/figures"));
}

/** Sends a request, disconnects once its handler has begun, and waits until the server has noticed. */
async function leave(server: RawServer, path: string): Promise<void> {
  const { begun, closed } = await seen(server);
  const client = await opened(server, requestHead(`GET ${path}`, path === "/socket" ? HANDSHAKE : []));
  await until(async () => (await seen(server)).begun > begun, "the handler has begun");
  if (path === "/stream") await readUntil(client, "endless text");
  client.close();
  await until(async () => (await seen(server)).closed > closed, "the client has left");
}

async function untilSeen(server: RawServer, expected: Partial<Figures>): Promise<void> {
  const pick = (all: Figures) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, all[key as keyof Figures]]));
  await until(
    async () => JSON.stringify(pick(await seen(server))) === JSON.stringify(expected),
    JSON.stringify(expected),
  )
    .catch(async () => assertEquals(pick(await seen(server)), expected));
}

/** One sequence, since each part depends on the tokens left by the previous one. */
async function leaving(server: RawServer, adapts: boolean): Promise<void> {
  const inFlight = (count: number) => adapts ? count : null;
  await leave(server, "/model");
  // the handler is running: its estimate stays charged, and it holds its slot
  assertEquals(await seen(server), { begun: 1, closed: 1, tokens: 80, slots: 2, inFlight: inFlight(1) });
  assertEquals(await ask(server, "/open"), "opened");
  await untilSeen(server, { tokens: 40, slots: 3, inFlight: inFlight(0) });
  // a stream ends with its client, and is charged the cost known by then
  await leave(server, "/stream");
  await untilSeen(server, { tokens: 10, slots: 3, inFlight: inFlight(0) });
  // nothing changes for clients that stay connected
  const { begun } = await seen(server);
  const staying = ask(server, "/model");
  // an estimate above the remaining tokens admits nothing
  assertEquals(await staying.then((text) => text.includes("Too many requests")), true);
  assertEquals((await seen(server)).begun, begun);
}

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(
    `Sluice on ${name}: a client that leaves pays for what its handler does, and makes no room`,
    { ignore },
    async () => {
      const [executable, ...args] = await command("advanced/tests/departed/sluice_program.ts");
      await using program = await startProgram(executable, args, { cwd: ROOT, env: { NODE_ENV: "test" } });
      const server = { port: Number(program.line) };
      await leaving(server, true);
      await leave(server, "/socket");
      await untilSeen(server, { slots: 3, inFlight: 0 });
    },
  );
}

for (const [runtime, start, ignore] of [["Node", startNode, skipNode], ["Deno", startDeno, false]] as const) {
  Deno.test(`Express, Koa and Fastify on ${runtime}: the same`, { ignore }, async (t) => {
    await using program = await start("advanced/tests/departed/node_program.ts");
    for (const [name, port] of Object.entries(JSON.parse(program.line) as Record<string, number>)) {
      await t.step(name, () => leaving({ port }, name === "Express"));
    }
  });
}

/** Every way frees the slot and settles, except streams that never end: their estimate stays. */
function assertEnded(line: string): void {
  const seen = JSON.parse(line) as Record<string, [tokens: number, isFree: boolean]>;
  for (const [way, [tokens, isFree]] of Object.entries(seen)) {
    const isStream = ["file", "download", "piped", "pipedBefore"].includes(way);
    assertEquals([way, isFree, tokens === 995 || isStream && tokens === 980], [way, true, true]);
  }
}

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(`Sluice on ${name}: whatever a handler does after its client has left, it ends`, { ignore }, async () => {
    await using program = await started(command, "advanced/tests/departed/ways_sluice_program.ts");
    assertEnded(program.line);
  });
}

for (const [runtime, start, ignore] of [["Node", startNode, skipNode], ["Deno", startDeno, false]] as const) {
  Deno.test(`Express on ${runtime}: the same`, { ignore }, async () => {
    await using program = await start("advanced/tests/departed/ways_express_program.ts");
    assertEnded(program.line);
  });
}
