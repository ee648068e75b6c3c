/** Large uploads and misbehaving clients, on each runtime with its own server. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { LISTENING_RUNTIMES } from "../../tests/support/listening_runtimes.ts";
import { memoryOf } from "../../tests/support/process_figures.ts";
import { startProgram } from "../../tests/support/program.ts";
import { ask, opened, readUntil, requestHead, writeAll } from "../../tests/support/raw_client.ts";
import { until } from "../../tests/support/until.ts";

const MIB = 2 ** 20;

/** A large upload's size in MiB; the documentation has figures for 5120. */
const UPLOAD_MIB = 400;
const GIVEN_MIB = Number(Deno.env.get("SLUICE_UPLOAD_MIB") ?? UPLOAD_MIB);

/** The process's maximum growth in MiB: runtime buffers, and memory not yet collected. */
const GROWTH_MIB = 200;

const encoder = new TextEncoder();

const START = '--B\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n' +
  "Content-Type: application/octet-stream\r\n\r\n";
const END = '\r\n--B\r\nContent-Disposition: form-data; name="last"\r\n\r\nis read, too\r\n--B--\r\n';

/** A server and the folder it writes to. */
interface Server {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  readonly runtime: string;
}

function headOf(path: string, bytes: number, ...headers: string[]): Uint8Array<ArrayBuffer> {
  const length = START.length + bytes + END.length;
  return requestHead(`POST ${path}`, [
    "Content-Type: multipart/form-data; boundary=B",
    `Content-Length: ${length}`,
    ...headers,
  ]);
}

async function begun(server: Server, path: string, bytes: number, ...headers: string[]): Promise<Deno.TcpConn> {
  const client = await opened(server, headOf(path, bytes, ...headers));
  await writeAll(client, encoder.encode(START));
  return client;
}

async function seen(server: Server): Promise<{ begun: number; told: number; failed: string }> {
  return JSON.parse(await ask(server, "/seen"));
}

function namesIn({ folder }: Server): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

const CASES: Readonly<Record<string, (server: Server) => Promise<void>>> = {
  async "an upload of any size takes little memory"(server) {
    // as many line endings as in a text file, each of which may begin a delimiter
    const line = "0123456789abcdef 0123456789abcdef 0123456789abcdef 0123456789a\r\n";
    const piece = encoder.encode(line.repeat(65_536 / line.length));
    for (const path of ["/stream", "/discarded", "/folder"]) {
      using client = await begun(server, path, GIVEN_MIB * MIB);
      const before = memoryOf(server);
      const start = performance.now();
      let most = before;
      for (let sent = 0; sent < GIVEN_MIB * MIB; sent += piece.length) {
        await writeAll(client, piece);
        if (sent % (8 * MIB) === 0) most = Math.max(most, memoryOf(server));
      }
      await writeAll(client, encoder.encode(END));
      const text = await readUntil(client, "is read, too");
      const growth = Math.max(most, memoryOf(server)) - before;
      if (GIVEN_MIB !== UPLOAD_MIB) {
        const seconds = (performance.now() - start) / 1000;
        console.log(`${path}: ${Math.round(before)} MiB, ${Math.round(growth)} more, ${seconds.toFixed(1)} s`);
      }
      const { files: [file] } = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
      assertEquals(file.size, GIVEN_MIB * MIB);
      if (path === "/stream") assertEquals(file.value, GIVEN_MIB * MIB);
      assert(growth < GROWTH_MIB, `${path}: ${growth} MiB more`);
    }
    await until(() => namesIn(server).length === 0, "the file that is not kept is removed");
  },

  async "a client that sends faster than a function reads has to wait"(server) {
    const before = (await seen(server)).begun;
    using client = await begun(server, "/stalled", 1024 * MIB);
    let sent = 0;
    const writing = (async () => {
      const piece = new Uint8Array(65_536);
      for (; sent < 1024 * MIB; sent += piece.length) await writeAll(client, piece);
    })();
    writing.catch(() => {});
    await until(async () => (await seen(server)).begun > before, "the function has begun");
    let last = -1;
    let times = 0;
    await until(() => {
      times = sent === last ? times + 1 : 0;
      last = sent;
      return times === 10;
    }, "the client waits");
    assert(sent < 64 * MIB, `${sent} bytes were taken`);
  },

  async "a client that leaves leaves no file, and a function that waits is told"(server) {
    for (const leave of ["close", "closeWrite"] as const) {
      const client = await begun(server, "/folder", MIB);
      await writeAll(client, new Uint8Array(100_000));
      await until(() => namesIn(server).length === 1, "the file has begun");
      client[leave]();
      await until(() => namesIn(server).length === 0, "the file is removed");
      await until(async () => (await seen(server)).failed === "ECONNRESET", "the error handlers are told");
      if (leave === "closeWrite") client.close();
    }
    const before = await seen(server);
    const client = await begun(server, "/stalled", MIB);
    await writeAll(client, new Uint8Array(1000));
    await until(async () => (await seen(server)).begun === before.begun + 1, "the function has begun");
    client.close();
    // Deno checks a connection only when the program reads from it
    if (server.runtime === "Deno") await ask(server, "/go-on");
    await until(async () => (await seen(server)).told > before.told, "the function is told");
  },

  async "an application has closed when the files that are not kept are removed"(server) {
    assertEquals(JSON.parse(await ask(server, "/closing")), [0, 0, 0, 0, 0]);
  },

  async "a client that cuts a body off is a 400 that is only a warning in the log"(server) {
    const json = ["Content-Type: application/json", "Content-Length: 500"];
    for (
      const client of [
        await opened(server, requestHead("POST /logged/json", json)),
        await begun(server, "/logged/form", MIB),
      ]
    ) {
      await writeAll(client, encoder.encode('{"a'));
      // the handler has begun to read
      await ask(server, "/lines");
      client.close();
      const lines: unknown[] = [];
      await until(async () => lines.push(...JSON.parse(await ask(server, "/lines"))) > 0, "the line is written");
      assertEquals(lines, [["warn", 400, true]]);
    }
    // its own error would have come later
    assertEquals(JSON.parse(await ask(server, "/lines")), []);
  },

  async "a client that reads nothing before all is sent is told that it was too much"(server) {
    const bytes = 20_000_000;
    for (const headers of [[], ["Connection: close"]]) {
      using client = await begun(server, "/small", bytes, ...headers);
      await writeAll(client, new Uint8Array(bytes));
      await writeAll(client, encoder.encode(END));
      const response = await readUntil(client, "</html>");
      assertMatch(response, /^HTTP\/1\.1 413 /);
      assertMatch(response, /in the field &quot;file&quot;/);
      if (headers.length > 0) continue;
      // the rest of the form is not read as part of the next request
      await writeAll(client, requestHead("GET /seen", []));
      assertMatch(await readUntil(client, "LIMIT_FILE_SIZE"), /^HTTP\/1\.1 200 |\r\nHTTP\/1\.1 200 /);
    }
    assertEquals(namesIn(server), []);
  },
};

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test({
    name: `uploads to a server on ${name}`,
    ignore,
    async fn(t) {
      const folder = await Deno.makeTempDir();
      const [program, ...args] = await command("middleware/tests/upload_program.ts");
      const cwd = new URL("../../", import.meta.url).pathname;
      await using running = await startProgram(program, [...args, folder], { cwd, env: { NODE_ENV: "test" } });
      const server = { port: Number(running.line), pid: running.pid, folder, runtime: name };
      for (const [what, run] of Object.entries(CASES)) await t.step(what, () => run(server));
      await Deno.remove(folder, { recursive: true });
    },
  });
}
