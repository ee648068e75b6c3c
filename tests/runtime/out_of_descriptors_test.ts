/** A process that runs out of descriptors, on every runtime with its own server: it recovers once some are free. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { LISTENING_RUNTIMES, type ListeningRuntime } from "../support/listening_runtimes.ts";
import { descriptors, processorTime } from "../support/process_figures.ts";
import { type Program, startProgram } from "../support/program.ts";
import { opened, readUntil, requestHead, writeAll } from "../support/raw_client.ts";
import { until } from "../support/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The process's descriptor limit, and a higher number of connections to try. */
const LIMIT = 200;
const CLIENTS = 320;

/** Maximum CPU time in a second without descriptors, in s; a busy loop uses all of it. */
const MOST_BUSY = 0.5;

// Bun's own server retries the same accept in a loop
const BUSY_BY_ITSELF = ["Bun"];

async function started({ command }: ListeningRuntime): Promise<Program> {
  const args = await command("tests/fixtures/out_of_descriptors.ts");
  return await startProgram("bash", ["-c", `ulimit -n ${LIMIT}; exec "$@"`, "bash", ...args], { cwd: ROOT });
}

/** Opens connections until the process has no descriptors left, and returns the open ones. */
async function exhaust(server: Program, port: number): Promise<Deno.Conn[]> {
  const clients: Deno.Conn[] = [];
  for (let i = 0; i < CLIENTS; i++) {
    // without descriptors, Deno's server does not listen for a while
    const client = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
    if (client !== null) clients.push(client);
  }
  // a descriptor is free whenever the server has just lost or closed a connection it could not accept
  await until(() => descriptors(server) >= LIMIT - 2, "no descriptor is left");
  return clients;
}

/** Whether a process has exited, even if its status has not been read. */
function hasEnded({ pid }: Program): boolean {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`) === "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}

async function asked(client: Deno.Conn, path: string, end: string): Promise<string> {
  await writeAll(client, requestHead(`GET ${path}`, []));
  return await readUntil(client, end);
}

for (const runtime of LISTENING_RUNTIMES) {
  const { name, ignore } = runtime;
  Deno.test({
    name: `${name}: a server without descriptors keeps its connections, and serves again when some are free`,
    ignore,
    async fn() {
      await using server = await started(runtime);
      const port = Number(server.line);
      using kept = await opened({ port }, requestHead("GET /", []));
      await readUntil(kept, "home");
      const clients = await exhaust(server, port);
      // an earlier connection still gets its responses, as do other accepted connections
      assert((await asked(kept, "/", "home")).includes(" 200 "));
      assert((await asked(clients[0]!, "/", "home")).includes(" 200 "));
      if (name === "Deno") {
        await until(async () => (await asked(kept, "/heard", "]}")).includes("EMFILE"), "it is reported");
      }
      const before = processorTime(server);
      const end = performance.now() + 1000;
      await until(() => performance.now() >= end, "a second");
      const busy = processorTime(server) - before;
      if (!BUSY_BY_ITSELF.includes(name)) assert(busy < MOST_BUSY, `${busy} s of processor time in a second`);
      for (const client of clients) client.close();
      await until(async () => {
        using client = await opened({ port }, requestHead("GET /", []));
        return (await readUntil(client, "home")).includes(" 200 ");
      }, "it serves again");
      const state = async () => JSON.parse((await asked(kept, "/heard", "]}")).split("\r\n\r\n")[1]!);
      // while clients are still disconnecting, it may fail once more
      await until(async () => (await state()).listening, "it listens");
      const { heard } = await state();
      // Node and Bun report nothing about connections that they cannot accept
      assertEquals(heard, name === "Deno" ? [{ phase: "server", code: "EMFILE", listening: false }] : []);
      assert((await asked(kept, "/close", "closing")).includes(" 200 "));
      await until(() => hasEnded(server), "it is closed, with the connection that it has kept");
    },
  });
}
