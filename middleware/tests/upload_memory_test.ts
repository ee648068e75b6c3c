/** Uploads that are larger than what the process may hold, on each runtime with a server of its own. */
import { assert, assertEquals } from "@std/assert";
import { LISTENING_RUNTIMES } from "../../tests/support/listening_runtimes.ts";
import { memoryOf } from "../../tests/support/process_figures.ts";
import { startProgram } from "../../tests/support/program.ts";
import { opened, readUntil, writeAll } from "../../tests/support/raw_client.ts";

const MIB = 2 ** 20;

/** Size of an upload; with 5120, this is what the documentation has figures of. */
const UPLOAD_MIB = Number(Deno.env.get("SLUICE_UPLOAD_MIB") ?? 256);

/** Most MiB that the process may grow by: buffers of the runtime, and what was not collected yet. */
const GROWTH_MIB = 128;

const encoder = new TextEncoder();

/** What an upload came to. */
interface Sent {
  readonly response: { files: { size: number; value?: number }[]; body: Record<string, string> };
  readonly growthMib: number;
  readonly seconds: number;
}

async function send(server: { port: number; pid: number }, path: string): Promise<Sent> {
  const start = '--B\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n' +
    "Content-Type: application/octet-stream\r\n\r\n";
  const end = '\r\n--B\r\nContent-Disposition: form-data; name="last"\r\n\r\nis read, too\r\n--B--\r\n';
  const length = start.length + UPLOAD_MIB * MIB + end.length;
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=B\r\n` +
    `Content-Length: ${length}\r\n\r\n`;
  using client = await opened(server, head + start);
  // as many line ends as in a text, each of which may begin a delimiter
  const piece = encoder.encode(
    "0123456789abcdef 0123456789abcdef 0123456789abcdef 0123456789a\r\n".repeat(MIB / 64 / 16),
  );
  const before = memoryOf(server);
  let most = before;
  const begun = performance.now();
  for (let sent = 0; sent < UPLOAD_MIB * MIB; sent += piece.length) {
    await writeAll(client, piece);
    if (sent % (8 * MIB) === 0) most = Math.max(most, memoryOf(server));
  }
  await writeAll(client, encoder.encode(end));
  const text = await readUntil(client, "is read, too");
  const seconds = (performance.now() - begun) / 1000;
  const response = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
  return { response, growthMib: Math.max(most, memoryOf(server)) - before, seconds };
}

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test({
    name: `on ${name}, an upload of any size takes little memory`,
    ignore,
    async fn(t) {
      const folder = await Deno.makeTempDir();
      const [program, ...args] = await command("middleware/tests/upload_program.ts");
      const cwd = new URL("../../", import.meta.url).pathname;
      await using server = await startProgram(program, [...args, folder], { cwd, env: { NODE_ENV: "test" } });
      const at = { port: Number(server.line), pid: server.pid };
      for (const path of ["/stream", "/discarded", "/folder"]) {
        await t.step(path, async () => {
          const { response, growthMib, seconds } = await send(at, path);
          if (UPLOAD_MIB !== 256) console.log(name, path, `${Math.round(growthMib)} MiB more, ${seconds.toFixed(1)} s`);
          assertEquals(response.files[0]!.size, UPLOAD_MIB * MIB);
          if (path === "/stream") assertEquals(response.files[0]!.value, UPLOAD_MIB * MIB);
          assert(growthMib < GROWTH_MIB, `${growthMib} MiB`);
        });
      }
      await Deno.remove(folder, { recursive: true });
    },
  });
}
