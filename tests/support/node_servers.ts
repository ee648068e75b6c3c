/** The servers in `tests/fixtures/node/servers.ts`, running while a test uses them. */
import { skipNode, startDeno, startNode } from "./node_program.ts";
import { PATIENCE_MS } from "./patience.ts";

const SERVERS = "tests/fixtures/node/servers.ts";
/** With `listen`, on the user's own server, inside Express, and inside Express behind its body parser. */
export const ways = ["listen", "own", "plain", "parsed"] as const;

/**
 * How the application is served: `front` falls through to an Express application behind it, `around` inspects its
 * responses.
 */
export type Way = typeof ways[number] | "front" | "around";

const RUNTIMES = [["Node", startNode, skipNode], ["Deno", startDeno, false]] as const;

/** A test with the servers running under Node, and under Deno as Node; `at` returns the application's URL. */
export function onNode(
  name: string,
  test: (at: (way?: Way) => string) => Promise<void>,
  runtimes: number = RUNTIMES.length,
): void {
  for (const [runtime, start, ignore] of RUNTIMES.slice(0, runtimes)) {
    Deno.test(`on ${runtime}, ${name}`, { ignore }, async () => {
      await using program = await start(SERVERS);
      const ports = JSON.parse(program.line) as Record<string, number>;
      const mount = { listen: "", own: "", plain: "/api", parsed: "/api", front: "", around: "" };
      await test((way = "listen") => `http://127.0.0.1:${ports[way]}${mount[way]}`);
    });
  }
}

/** A response's body as a string. */
export async function text(url: string, init?: RequestInit): Promise<string> {
  return await (await fetch(url, init)).text();
}

/** Polls until a response matches, which is the only way to observe a different process. */
export async function askUntil<T>(ask: () => Promise<T>, fits: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await ask();
    if (fits(seen)) return seen;
    if (performance.now() > end) {
      throw new Error(`Not within ${PATIENCE_MS} ms; the last answer: ${JSON.stringify(seen)}`);
    }
  }
}

/** Waits for a number to stop growing, which means that the socket buffers are full. */
export async function standingStill(read: () => Promise<number>): Promise<number> {
  let before = 0;
  let times = 0;
  await askUntil(read, (now) => {
    times = now > 0 && now === before ? times + 1 : 0;
    before = now;
    return times === 20;
  });
  return before;
}

/** Sends a hand-written request and leaves the response unread. */
export async function rawRequest(origin: string, path: string, head = ""): Promise<Deno.TcpConn> {
  const { hostname, port, pathname } = new URL(origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const method = head === "" ? "GET" : "POST";
  const target = (pathname === "/" ? "" : pathname) + path;
  await connection.write(new TextEncoder().encode(`${method} ${target} HTTP/1.1\r\nhost: x\r\n${head}\r\n`));
  return connection;
}
