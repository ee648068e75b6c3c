/** Kept-alive connections while their server closes: no request on them is lost. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { linesOf } from "../../scripts/lines.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { opened, readUntil, writeText } from "../support/raw_client.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const BODY = '{"a":1}';

function post(path: string, body = BODY, length = body.length): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** A response's status and `Connection` header, once all of it has arrived. */
async function answered(connection: Deno.TcpConn, end: string): Promise<[status: number, connection: string | null]> {
  const text = await readUntil(connection, end);
  const [head] = text.split("\r\n\r\n");
  const said = /^connection: *(.*)$/im.exec(head!)?.[1] ?? null;
  return [Number(head!.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length)), said?.toLowerCase() ?? null];
}

/** Every kind of response, with its status and ending. */
const KINDS: readonly (readonly [path: string, status: number, end: string])[] = [
  ["/json", 200, BODY],
  ["/send", 200, "sent"],
  ["/empty", 204, "\r\n\r\n"],
  ["/stream", 200, "0\r\n\r\n"],
  ["/web", 200, `got ${BODY}`],
  ["/redirect", 303, "\r\n\r\n"],
  ["/fails", 500, "fails"],
  ["/nothing", 404, "</html>"],
];

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(
    `${name}: from SIGTERM on, every response says that its connection ends, and bodies in flight are read`,
    { ignore },
    async () => {
      const [program, ...args] = await command("tests/fixtures/operations/leaving.ts");
      const child = new Deno.Command(program!, { args, cwd: ROOT, stdin: "null", stdout: "piped", stderr: "inherit" })
        .spawn();
      const lines = linesOf(child.stdout);
      const line = async (): Promise<string | undefined> => (await lines.next()).value;
      try {
        const server = { port: Number(await line()) };
        const connections = await Promise.all(KINDS.map(() => opened(server, post("/send"))));
        const before = await Promise.all(connections.map((connection) => answered(connection, "sent")));
        assertEquals(new Set(before.map(([status, said]) => `${status} ${said}`)).size, 1);
        assertEquals(before[0]![1] === "close", false);
        const upload = await opened(server, post("/upload", "x".repeat(1000), 2000));
        const echoes = await opened(server, post("/echoes", "x".repeat(1000), 2000));
        await readUntil(echoes, "begun");
        child.kill("SIGTERM");
        assertEquals(await line(), "draining");
        const after = await Promise.all(KINDS.map(async ([path, , end], i) => {
          await writeText(connections[i]!, post(path));
          return await answered(connections[i]!, end);
        }));
        assertEquals(after, KINDS.map(([, status]) => [status, "close"]));
        const newcomer = await opened(server, post("/send"));
        assertEquals(await answered(newcomer, "sent"), [200, "close"]);
        // Node starts on both requests before it responds to the first, so only the second may end the connection
        if (name === "Node") {
          const both = await opened(server, post("/json", '{"first":1}') + post("/json", '{"second":2}'));
          const pipelined = await readUntil(both, '{"second":2}');
          assertEquals(pipelined.split(/^connection: *close/im).length, 2, pipelined);
          connections.push(both);
        }
        // requests that arrive while the event loop is busy until after the delay
        const [busy, fresh] = [await opened(server, post("/busy")), await opened(server, "")];
        const late = await opened(server, post("/send"));
        await writeText(fresh, post("/send"));
        for (const connection of [fresh, late]) assertEquals(await answered(connection, "sent"), [200, "close"]);
        for (const connection of [...connections, newcomer, busy, fresh, late]) connection.close();
        assertEquals(await line(), "closing");
        await writeText(upload, "x".repeat(1000));
        assertEquals(await answered(upload, '{"length":2000}'), [200, "close"]);
        await writeText(echoes, "x".repeat(1000));
        await readUntil(echoes, "2000");
        for (const connection of [upload, echoes]) connection.close();
        assertEquals(await line(), "closed");
        const { code } = await child.status;
        assertEquals(code, 0);
      } finally {
        try {
          child.kill("SIGKILL");
        } catch {
          // it has exited, as it should
        }
        await child.status;
        await lines.return(undefined);
      }
    },
  );
}
