/**
 * Misbehaving handlers: every program here runs on Sluice and on real Express under Node. The client must see the same,
 * the process must survive, and no error may be left unhandled.
 *
 * `setTimeout(() => { throw error })` is not a case: it ends a Deno or Node process with any framework.
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sluiceApp from "../../../mod.ts";
import { toNodeHandler } from "../../../node.ts";
import { run } from "../../../scripts/process.ts";
import { packageFlags } from "../../support/node_program.ts";
import { askAll } from "../support/ask_all.ts";
import { compare } from "../support/compare.ts";
import { startExpressHost } from "../support/express_host.ts";
import type { Host, Told } from "../support/host.ts";
import type { Program } from "../support/program.ts";
import { askRaw } from "../support/raw_client.ts";
import { assertSeen } from "../support/sees.ts";
import { startSluiceHost } from "../support/sluice_host.ts";

const ROOT = new URL("../../../", import.meta.url);
const HERE = new URL("./", import.meta.url);
const THERE = new URL(".cache/ecosystem/misbehaving/", ROOT);
const NAMES = ["throwing", "after_throwing", "responding", "writing_after_end", "continuing", "breaking"];

/** A program, and the paths whose requests must leave nothing behind. */
type Misbehaving = Program & { readonly measured: readonly string[] };

const programs = new Map<string, Misbehaving>();
for (const name of NAMES) programs.set(name, await import(new URL(`${name}.js`, HERE).href));

let express: Host;
let sluice: Host;

Deno.test.beforeAll(async () => {
  express = await startExpressHost([]);
  await Deno.mkdir(THERE, { recursive: true });
  for (const name of [...NAMES, "faults", "hung_up"]) {
    await Deno.copyFile(new URL(`${name}.js`, HERE), new URL(`${name}.js`, THERE));
  }
  sluice = await startSluiceHost("Deno");
});

Deno.test.afterAll(async () => {
  await express.stop();
  await sluice.stop();
});

// the processes outlive the test that started them
const options = { sanitizeOps: false, sanitizeResources: false };
const NOTHING: Omit<Told, "side"> = { scratch: "", files: "", redis: "", upstream: "", nobody: "" };

/** Runs a function with a program's ports on Sluice and on Express. */
async function withBoth(name: string, act: (ours: number, theirs: number) => Promise<void>): Promise<void> {
  const path = `../misbehaving/${name}`;
  const ports = [
    await sluice.open(path, { ...NOTHING, side: "sluice" }),
    await express.open(path, { ...NOTHING, side: "express" }),
  ] as const;
  try {
    await act(...ports);
  } finally {
    await sluice.close(path);
    await express.close(path);
  }
}

for (const [name, program] of programs) {
  Deno.test(program.title, options, () =>
    withBoth(name, async (mine, theirs) => {
      const [ours, others] = await Promise.all([askAll(mine, program.requests), askAll(theirs, program.requests)]);
      for (const [index, exchanged] of ours.entries()) {
        const { method = "GET", path, differs } = exchanged.ask;
        const found = compare(exchanged, others[index]!, program);
        if (differs === undefined) assertEquals(found, [], `${method} ${path}`);
        else assertEquals(found.map(({ part }) => part).sort(), differs.parts.toSorted(), `${path}: ${differs.why}`);
        assertSeen(exchanged);
      }
    }));
}

Deno.test(
  "a client that leaves a handler that never answers is noticed, and others are served",
  options,
  () =>
    withBoth("continuing", async (...ports) => {
      const [ours, theirs] = await Promise.all(ports.map(async (port) => {
        const told: Record<string, string> = {};
        for (const name of ["answers", "settles", "ends"]) {
          {
            using _connection = await begin(port, `/never/${name}`);
            await askRaw(port, { path: `/arrived/${name}` });
            told[`${name}, others meanwhile`] = await textOf(port, "/alive");
          }
          told[name] = await textOf(port, `/gone/${name}`);
        }
        {
          using _connection = await begin(port, "/never/looks");
          await askRaw(port, { path: "/arrived/looks" });
        }
        told["others, afterwards"] = await textOf(port, "/alive");
        return { ...told, faults: await textOf(port, "/faults") };
      }));
      assertEquals(ours, theirs);
      const { answers, "others, afterwards": afterwards } = ours as Record<string, string>;
      assertEquals(JSON.parse(answers!), { aborted: true, writableFinished: false, destroyed: true });
      assertEquals(afterwards, "alive");
    }),
);

async function begin(port: number, path: string): Promise<Deno.Conn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`));
  return connection;
}

async function textOf(port: number, path: string): Promise<string> {
  return new TextDecoder().decode((await askRaw(port, { path })).bytes);
}

Deno.test("an error whose headers cannot be sent is answered 500, where Express never answers", async () => {
  const app = sluiceApp();
  app.set("env", "test");
  app.get("/", () => {
    throw Object.assign(new Error("mine"), { status: 503, headers: { "Retry After": "7" } });
  });
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals([response.status, await response.text()], [500, "Internal Server Error"]);
});

Deno.test("under Node a connection that a handler destroys ends without a byte, as on Express", async () => {
  const app = sluiceApp();
  app.get("/before", (req) => void req.socket.destroy());
  app.get("/fine", (_req, res) => res.send("fine"));
  const server = createServer(toNodeHandler(app));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  assertEquals(await askRaw(port, { path: "/before" }), { status: 0, headers: [], bytes: new Uint8Array(), cut: true });
  assertEquals(await textOf(port, "/fine"), "fine");
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("misbehaving requests of every kind leave nothing behind, in process and over connections", async () => {
  // two processes, each with half the work
  const halves = [["throwing", "after_throwing", "responding"], [
    "breaking",
    "writing_after_end",
    "continuing",
    "never",
  ]];
  assertEquals(halves.flat().toSorted(), [...NAMES, "never"].toSorted());
  const [first, second] = await Promise.all(halves.map(leftBehind));
  const kinds: string[] = ["/listens never, given up", "/ends never, given up", "/silent never, given up"];
  for (const { measured } of programs.values()) {
    kinds.push(...measured.flatMap((path) => [`${path} in process`, `${path} connected`]));
  }
  const grown = { ...first!.grown, ...second!.grown };
  assertEquals(Object.keys(grown).toSorted(), kinds.toSorted());
  assertEquals([first!.open, second!.open], [0, 0], "streams that are still open");
  for (const [kind, bytes] of Object.entries(grown)) {
    // one small object per request would be at least 320 kB for the 10 000 in-process requests
    assert(bytes < 250_000, `${kind}: ${bytes} bytes are left`);
  }
});

/** The probe's output. */
interface Left {
  readonly grown: Readonly<Record<string, number>>;
  readonly open: number;
}

async function leftBehind(names: readonly string[]): Promise<Left> {
  const { code, output } = await run(Deno.execPath(), [
    ...["run", "-A", "--quiet", "--v8-flags=--expose-gc", ...await packageFlags("retained")],
    ...[fileURLToPath(new URL("retained.ts", HERE)), ...names],
  ], { limitMs: 240_000, quiet: true, cwd: fileURLToPath(ROOT) });
  assertEquals(code, 0, output);
  // Deno also prints the errors that cut bodies off
  return JSON.parse(output.split("\n").find((line) => line.startsWith('{"grown"'))!);
}
