/** A process stopped behind a load balancer, with the order of events that npm's terminus has on Node. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { bundleForNode, skipNode } from "../support/node_program.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { until } from "../support/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Stopping extends AsyncDisposable {
  readonly origin: string;
  /** Sends it SIGTERM. */
  terminate(): void;
  /** Its exit status. */
  readonly status: Promise<Deno.CommandStatus>;
}

async function start([command, ...args]: readonly string[]): Promise<Stopping> {
  const child = new Deno.Command(command!, { args, cwd: ROOT, stdin: "null", stdout: "piped", stderr: "inherit" })
    .spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: port } = await reader.read();
  return {
    origin: `http://127.0.0.1:${port!.trim()}`,
    terminate: () => child.kill("SIGTERM"),
    status: child.status,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has exited, as it should
      }
      await child.status;
      await reader.cancel();
    },
  };
}

/** Response status on a separate connection, like a probe's; `null` if the server no longer listens. */
async function probed(origin: string, path: string): Promise<number | null> {
  try {
    const response = await fetch(origin + path, { headers: { connection: "close" } });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}

interface Sequence {
  /** Readiness before the signal, and once the process has noticed it. */
  readonly ready: (number | null)[];
  /** Liveness during shutdown. */
  readonly live: number | null;
  /** Status of every request a load balancer sends until it has noticed. */
  readonly worked: Set<number | null>;
  /** The process's exit status. */
  readonly end: { readonly code: number; readonly signal: string | null };
}

/** Stops a process while clients use it. As behind a load balancer, they do so until readiness fails. */
async function sequence(command: readonly string[]): Promise<Sequence> {
  await using stopping = await start(command);
  const { origin } = stopping;
  let isWanted = true;
  const worked = new Set<number | null>();
  const client = async () => {
    while (isWanted) worked.add(await probed(origin, "/work"));
  };
  const clients = [client(), client(), client()];
  const before = await probed(origin, "/readyz");
  stopping.terminate();
  let after: number | null = 200;
  await until(async () => (after = await probed(origin, "/readyz")) !== 200, "it is not ready any more");
  const live = await probed(origin, "/livez");
  // requests between the failed probe and the load balancer's reaction
  for (let i = 0; i < 3; i++) worked.add(await probed(origin, "/work"));
  isWanted = false;
  await Promise.all(clients);
  const late = AbortSignal.timeout(PATIENCE_MS);
  const over = new Promise<never>((_, reject) => late.addEventListener("abort", () => reject(late.reason)));
  const { code, signal } = await Promise.race([stopping.status, over]);
  return { ready: [before, after], live, worked, end: { code, signal } };
}

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(
    `${name}: from SIGTERM on it is not ready, all other requests succeed, and the process ends`,
    { ignore },
    async () => {
      const { ready, live, worked, end } = await sequence(await command("tests/fixtures/operations/draining.ts"));
      assertEquals([ready, live, [...worked], end], [[200, 503], 200, [200], { code: 0, signal: null }]);
    },
  );
}

Deno.test(
  "on Node that is the order of events with terminus, but that liveness does not fail, and the process is not killed",
  {
    ignore: skipNode,
  },
  async () => {
    const theirs = await sequence(["node", await bundleForNode("tests/fixtures/operations/terminus.ts")]);
    assertEquals([theirs.ready, [...theirs.worked]], [[200, 503], [200]]);
    assertEquals(theirs.live, 503);
    assert(theirs.end.signal === "SIGTERM", JSON.stringify(theirs.end));
  },
);
