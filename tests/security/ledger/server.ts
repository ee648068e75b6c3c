/** The program for attacks over sockets, and the attackers' tools. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import type { ListeningRuntime } from "../../support/listening_runtimes.ts";
import { startProgram } from "../../support/program.ts";
import { opened, type RawServer } from "../../support/raw_client.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The running program. */
export interface LedgerServer extends RawServer, AsyncDisposable {
  readonly runtime: ListeningRuntime["name"];
  readonly origin: string;
  /** The port for HTTP/2 without TLS; Bun has none. */
  readonly http2Port: number | undefined;
}

/** Starts the program. */
export async function startLedger({ name, command }: ListeningRuntime): Promise<LedgerServer> {
  const [program, ...args] = await command("tests/security/ledger/program.ts");
  const running = await startProgram(program, args, { cwd: ROOT, env: { NODE_ENV: "test" } });
  const [port, http2Port = name === "Deno" ? port : undefined] = JSON.parse(running.line) as [number, number?];
  const origin = `http://127.0.0.1:${port}`;
  return { runtime: name, port, http2Port, origin, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

/** All data the server sends until it closes the connection. Data may be lost to a reset. */
export async function received(server: RawServer, request: string): Promise<string> {
  const bytes = Uint8Array.from(request, (char) => char.charCodeAt(0));
  let text = "";
  const decoder = new TextDecoder();
  try {
    using connection = await opened(server, bytes);
    const buffer = new Uint8Array(65_536);
    for (let length = await connection.read(buffer); length !== null; length = await connection.read(buffer)) {
      text += decoder.decode(buffer.subarray(0, length), { stream: true });
    }
  } catch (error) {
    const isCut = error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe;
    if (!isCut) throw error;
  }
  return text;
}

/** First response's status, 0 if there is none. */
export function statusOf(text: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
}

/** The paths that reached the application. */
export async function seenBy({ origin }: LedgerServer): Promise<string[]> {
  return await (await fetch(`${origin}/seen`)).json();
}

let smuggled = 0;

/**
 * Sends a request with a second request hidden in it. Asserts that the server refuses the first, closes the connection,
 * and never sees the second.
 *
 * @param server The server
 * @param attack Makes the bytes, given the hidden request
 */
export async function refusesSmuggled(server: LedgerServer, attack: (hidden: string) => string): Promise<void> {
  const path = `/smuggled/${++smuggled}`;
  const text = await received(server, attack(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
  // a malformed body may end the connection without a response
  assertMatch(text, /^(?:HTTP\/1\.1 4\d\d |$)/);
  assertEquals(text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0, text === "" ? 0 : 1);
  assert(!(await seenBy(server)).includes(path), `${path} has reached the application`);
}

/** A request's head, with its lines joined. */
export function headOf(...lines: string[]): string {
  return [...lines, "", ""].join("\r\n");
}

/** Asserts that the program still responds. */
export async function serves({ origin, runtime }: LedgerServer): Promise<void> {
  assertEquals([runtime, (await fetch(`${origin}/alive`)).status], [runtime, 200]);
}
