import { fileURLToPath } from "node:url";
import { processorTime } from "../support/processor_time.ts";

/** Times for one start, in ms. */
export interface Started {
  /** From starting the process to the first byte of the first response. */
  readonly firstByte: number;
  /** The first request, from sending it to its response. */
  readonly first: number;
  /** The second request. */
  readonly second: number;
  /** Processor time until the first byte, over all of the process's threads. */
  readonly processor: number;
}

const REQUEST = new TextEncoder().encode("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");

/**
 * Starts a program, sends it two requests over one connection and ends it.
 *
 * @param program The program, which listens on the port it is given
 * @param codeCache Whether V8 may use its code cache
 * @throws {Error} If there is no response within ten seconds
 */
export async function start(program: URL, codeCache: boolean): Promise<Started> {
  const port = freePort();
  const flags = ["-A", "--quiet", "--no-check", ...(codeCache ? [] : ["--no-code-cache"])];
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, fileURLToPath(program), String(port)],
    env: { NODE_ENV: "production" },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  });
  const begin = performance.now();
  const process = command.spawn();
  try {
    const connection = await connected(port, begin + 10_000);
    const asked = performance.now();
    await answered(connection);
    const firstByte = performance.now();
    const processor = processorTime(process.pid) / 1e6;
    const askedAgain = performance.now();
    await answered(connection);
    const second = performance.now() - askedAgain;
    connection.close();
    return { firstByte: firstByte - begin, first: firstByte - asked, second, processor };
  } finally {
    process.kill("SIGKILL");
    await process.status;
  }
}

async function connected(port: number, deadline: number): Promise<Deno.TcpConn> {
  for (;;) {
    try {
      return await Deno.connect({ hostname: "127.0.0.1", port });
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      if (performance.now() > deadline) throw new Error(`nothing listens on port ${port} after ten seconds`);
    }
  }
}

async function answered(connection: Deno.TcpConn): Promise<void> {
  await connection.write(REQUEST);
  const bytes = new Uint8Array(4096);
  const length = await connection.read(bytes) ?? 0;
  const text = new TextDecoder().decode(bytes.subarray(0, length));
  if (!text.startsWith("HTTP/1.1 200")) throw new Error(`unexpected answer: ${text}`);
}

function freePort(): number {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  return port;
}
