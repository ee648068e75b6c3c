/** Connections that speak HTTP by hand, to be left when it hurts; and what they did to the process they went to. */

/** Where they go. */
export interface RawServer {
  /** Its port, on 127.0.0.1. */
  readonly port: number;
  /** Its process. */
  readonly pid: number;
}

const encoder = new TextEncoder();

/** Waits until a condition holds; asks again every few ms. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 5000): Promise<void> {
  const late = performance.now() + limitMs;
  while (!await holds()) {
    if (performance.now() > late) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Opens a connection and writes to it. */
export async function opened({ port }: RawServer, text: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(connection, encoder.encode(text));
  return connection;
}

/** Opens many connections, a hundred at once. */
export async function openedMany(
  server: RawServer,
  count: number,
  open: () => Promise<Deno.TcpConn>,
): Promise<Deno.TcpConn[]> {
  const all: Deno.TcpConn[] = [];
  while (all.length < count) {
    all.push(...await Promise.all(Array.from({ length: Math.min(100, count - all.length) }, open)));
    // few may wait to be accepted, and who comes when there is no room waits for a second
    await ask(server, "/");
  }
  return all;
}

/** Writes all of it. */
export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Reads until a text has come. */
export async function readUntil(connection: Deno.Conn, text: string): Promise<string> {
  const buffer = new Uint8Array(16_384);
  let seen = "";
  while (!seen.includes(text)) {
    const length = await connection.read(buffer);
    if (length === null) throw new Error(`the connection ended before ${JSON.stringify(text)} came: ${seen}`);
    seen += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return seen;
}

/** Asks over a connection of its own, and gives the body. */
export async function ask(server: RawServer, path: string): Promise<string> {
  const connection = await opened(server, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const answer = await new Response(connection.readable).text();
  return answer.slice(answer.indexOf("\r\n\r\n") + 4);
}

/** What a flag of the program stands at. */
export async function flag(server: RawServer, name: string): Promise<number> {
  return Number(await ask(server, `/flags/${name}`));
}

/** Descriptors a process has open. */
export function descriptors({ pid }: RawServer): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** The same, once connections that were closed are gone. */
export async function settledDescriptors(server: RawServer): Promise<number> {
  let seen = -1;
  let times = 0;
  await until("the number of descriptors stays as it is", () => {
    const now = descriptors(server);
    times = now === seen ? times + 1 : 0;
    seen = now;
    return times === 5;
  });
  return seen;
}

/** MiB of memory a process holds. */
export function memoryOf({ pid }: RawServer): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/status`).match(/VmRSS:\s+(\d+)/)![1]) / 1024;
}

/** Lets a process open as many descriptors. */
export async function allowDescriptors(pid: number, count: number): Promise<void> {
  const limit = () => Number(Deno.readTextFileSync(`/proc/${pid}/limits`).match(/open files +(\d+)/)?.[1] ?? Infinity);
  if (limit() >= count) return;
  await new Deno.Command("prlimit", { args: ["--pid", String(pid), `--nofile=${count}:`] }).output();
  if (limit() < count) throw new Error(`A process may open ${limit()} files; raise \`ulimit -n\` to ${count}`);
}
