/**
 * Which functions of a built package run until its first responses: `called_functions.ts <mod.js>` prints them as JSON,
 * by module.
 */
import { Session } from "node:inspector/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./process.ts";

/** Where the functions of a module that were called begin and end in its code, `"<start>-<end>"`. */
export type Called = ReadonlySet<string>;

/**
 * Runs a program with an application up to its first responses, in a process of its own.
 *
 * @param mod The built `mod.js`
 * @returns The functions that were called, by the file names of the modules beside it
 * @throws {Error} If the program fails
 */
export async function calledFunctions(mod: URL): Promise<ReadonlyMap<string, Called>> {
  const args = ["run", "-A", "--quiet", "--no-lock", "--no-config", fileURLToPath(import.meta.url), fileURLToPath(mod)];
  const { code, output } = await run(Deno.execPath(), args, { limitMs: 60_000, quiet: true });
  if (code !== 0) throw new Error(`the first responses of ${fileURLToPath(mod)} failed: ${output}`);
  const ranges: Record<string, string[]> = JSON.parse(output);
  return new Map(Object.entries(ranges).map(([file, called]) => [file, new Set(called)]));
}

/** What the inspector says of a script. */
interface Coverage {
  readonly url: string;
  readonly functions: readonly { ranges: readonly { startOffset: number; endOffset: number; count: number }[] }[];
}

async function report(mod: string): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await using _server = await firstResponses(mod);
  const { result } = await session.post("Profiler.takePreciseCoverage") as unknown as { result: Coverage[] };
  const folder = new URL(".", mod).href;
  const own = result.filter(({ url }) => url.startsWith(folder));
  const ranges = own.map(({ url, functions }) => {
    const called = functions.map((one) => one.ranges[0]!).filter(({ count }) => count > 0);
    return [basename(url), called.map(({ startOffset, endOffset }) => `${startOffset}-${endOffset}`)];
  });
  console.log(JSON.stringify(Object.fromEntries(ranges)));
}

// what nearly every application does: text, JSON, a parameter, a middleware; the first two routes are before that
async function firstResponses(mod: string): Promise<AsyncDisposable> {
  const { default: sluice } = await import(mod);
  const app = sluice();
  app.get("/", (_req: unknown, res: { send(body: string): void }) => res.send("text"));
  app.get("/json", (_req: unknown, res: { json(body: unknown): void }) => res.json({ text: "text" }));
  app.use((_req: unknown, _res: unknown, next: () => void) => next());
  app.get("/behind/:id", (req: { params: unknown }, res: { json(body: unknown): void }) => res.json(req.params));
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = await new Promise<{ port: number }>((resolve) => {
    server.once("listening", () => resolve(server.address()));
  });
  for (const path of ["/", "/json", "/behind/1"]) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!response.ok) throw new Error(`${path} has status ${response.status}`);
    await response.text();
  }
  return server;
}

if (import.meta.main) {
  await report(new URL(Deno.args[0]!, `file://${Deno.cwd()}/`).href);
  Deno.exit();
}
