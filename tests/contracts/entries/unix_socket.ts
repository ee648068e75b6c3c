/** The program's `fetch` passed to Deno's or Bun's server, on the Unix socket `SOCKET`; prints `PORT` when ready. */
import { buildProgram } from "../program.ts";

/** The part of Bun's global object that the program uses. */
interface BunLike {
  readonly env: Record<string, string | undefined>;
  serve(options: object): unknown;
}

const { fetch, websocket } = buildProgram();
const { Bun } = globalThis as { Bun?: BunLike };
if (Bun === undefined) {
  Deno.serve({ path: Deno.env.get("SOCKET")!, onListen: () => console.log(Deno.env.get("PORT")) }, fetch);
} else {
  Bun.serve({ unix: Bun.env["SOCKET"], fetch, websocket });
  console.log(Bun.env["PORT"]);
}
