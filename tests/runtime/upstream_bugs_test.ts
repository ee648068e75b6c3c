/**
 * Bugs that only a runtime can fix: the documented limits, each with a program that shows the bug without Sluice. A
 * test fails once the runtime has fixed its bug.
 */
import { assert, assertStringIncludes } from "@std/assert";
import { descriptors } from "../support/process_figures.ts";
import { until } from "../support/until.ts";
import { HANDSHAKE, opened } from "../support/raw_client.ts";
import { type Program, startProgram } from "../support/program.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");
const SERVER = "tests/fixtures/runtime_server.js";
const PAGE = "docs/express-differences.md";

/** Time in ms within which a server on the same machine sends everything it will send. */
const ANSWER_MS = 1000;

interface Limit {
  readonly runtime: "Deno" | "Bun";
  /** Start of the bug's entry on the page. */
  readonly told: string;
  /** The page, {@linkcode PAGE} by default. */
  readonly page?: string;
  /** Whether the bug still exists. */
  isLeft(port: number, server: Program): Promise<boolean>;
}

const LIMITS: readonly Limit[] = [
  {
    runtime: "Deno",
    told: "- **`Upgrade` with a body.**",
    isLeft: async (port) => (await answer(port, H2C)).startsWith("HTTP/1.1 400"),
  },
  {
    runtime: "Deno",
    told: "- **205.**",
    // neither a length nor a closed connection shows that it has ended
    isLeft: async (port) => !/^(?:content-length|transfer-encoding):/im.test(await answer(port, get("/205"))),
  },
  {
    runtime: "Deno",
    told: "- **`AsyncLocalStorage`'s `enterWith`.**",
    isLeft: async (port) => (await answer(port, get("/entered").repeat(2))).includes('{"before":"another request"}'),
  },
  ...(["Deno", "Bun"] as const).map((runtime): Limit => ({
    runtime,
    told: "- **The HTTP version.**",
    isLeft: async (port) => {
      const { info, request } = JSON.parse(bodyOf(await answer(port, get("/"))));
      return ![...info, ...request].some((name: string) => /version/i.test(name));
    },
  })),
  {
    runtime: "Deno",
    told: "- **Request trailers.**",
    isLeft: async (port) => {
      const { info, request } = JSON.parse(bodyOf(await answer(port, TRAILERS)));
      return ![...info, ...request].some((name: string) => /trailer/i.test(name));
    },
  },
  {
    runtime: "Deno",
    told: "- **Out of descriptors.**",
    async isLeft(port, server) {
      await exhausted(port, server);
      return await Deno.connect({ hostname: "127.0.0.1", port }).then((client) => client.close(), () => "ended") ===
        "ended";
    },
  },
  {
    runtime: "Bun",
    told: "- **Request trailers.**",
    isLeft: async (port) => (await answer(port, TRAILERS)).includes("HTTP/1.1 400"),
  },
  {
    runtime: "Deno",
    told: "- **A malformed chunk that comes with the head.**",
    // the handler reads the body and responds, but nothing is sent
    isLeft: async (port) => await answer(port, MALFORMED_CHUNK) === "",
  },
  {
    runtime: "Deno",
    told: "| unmasked frames                            | accepted ",
    page: "docs/websockets.md",
    isLeft: async (port) => (await answer(port, UNMASKED_FRAME)).endsWith("\u0081\u0002ab"),
  },
];

/** The first request of Java's HttpClient by default. */
const H2C = "POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 3\r\n" +
  "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nUpgrade: h2c\r\n\r\nabc";

const TRAILERS = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-One: 1\r\n\r\n";

const MALFORMED_CHUNK = "POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nW\r\n";

/**
 * A handshake, and the string "ab" in an unmasked frame (RFC 6455 section 5.1 requires servers to close the
 * connection).
 */
const UNMASKED_FRAME = `GET /socket HTTP/1.1\r\nHost: x\r\n${HANDSHAKE.join("\r\n")}\r\n\r\n\u0081\u0002ab`;

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

function bodyOf(text: string): string {
  return text.slice(text.indexOf("\r\n\r\n") + 4);
}

/** All data that a server sends: the client keeps the connection open, as most clients do. */
async function answer(port: number, request: string): Promise<string> {
  const connection = await opened({ port }, Uint8Array.from(request, (character) => character.charCodeAt(0)));
  const timer = setTimeout(() => connection.close(), ANSWER_MS);
  const decoder = new TextDecoder("latin1");
  const buffer = new Uint8Array(65_536);
  let text = "";
  try {
    for (;;) {
      const length = await connection.read(buffer);
      if (length === null) break;
      text += decoder.decode(buffer.subarray(0, length));
    }
    connection.close();
  } catch {
    // it was closed here
  } finally {
    clearTimeout(timer);
  }
  return text;
}

function hasEnded({ pid }: Program): boolean {
  try {
    return descriptors({ pid }) === 0;
  } catch {
    return true;
  }
}

/** Uses up all of a process's descriptors, and frees them once it has had time to notice. */
async function exhausted(port: number, server: Program): Promise<void> {
  // Deno panics without a descriptor in the first half second
  await answer(port, get("/"));
  await new Deno.Command("prlimit", { args: ["--pid", String(server.pid), "--nofile=100:100"] }).output();
  const clients: (Deno.Conn | null)[] = [];
  for (let i = 0; i < 150; i++) clients.push(await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null));
  await until(() => hasEnded(server) || descriptors(server) >= 100, "no descriptor is left");
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  for (const client of clients) client?.close();
  // connections that were waiting to be accepted are closed
  await until(() => hasEnded(server) || descriptors(server) < 90, "descriptors are free");
}

function started(runtime: Limit["runtime"]): Promise<Program> {
  return runtime === "Bun"
    ? startProgram(`${runtimes}node_modules/.bin/bun`, [SERVER], { cwd: "." })
    : startProgram(Deno.execPath(), ["run", "-A", "--quiet", "--no-config", SERVER], { cwd: "." });
}

for (const { runtime, told, page = PAGE, isLeft } of LIMITS) {
  Deno.test(`what ${runtime} cannot do is documented, and still so: ${told.replaceAll(/[-*|]| {2,}/g, "").trim()}`, {
    ignore: runtime === "Bun" && runtimes === undefined,
  }, async () => {
    assertStringIncludes(await Deno.readTextFile(page), told);
    await using server = await started(runtime);
    const advice = `take "${told}" out of ${page}, as far as it is about ${runtime}, and its entry out of this test`;
    assert(await isLeft(Number(server.line), server), `${runtime} has fixed it: ${advice}`);
  });
}
