/**
 * Serves JSON behind a stack of npm middleware: `serve.ts <sluice|express> <stack>`. Prints its port when it listens.
 */
import { stackOf } from "./stacks.ts";

/** The API used from both frameworks. */
interface App {
  use(middleware: unknown): unknown;
  get(path: string, handler: (req: unknown, res: { json(value: unknown): void }) => unknown): unknown;
  listen(port: number, hostname: string, done: () => void): { address(): { port: number } | null };
}

const [contestant = "", stack = ""] = Deno.args;
const specifier = contestant === "express" ? "express" : "@sluice/sluice";
const { default: framework } = await import(specifier) as { default: () => App };
const app = framework();
for (const middleware of stackOf(stack)) app.use(middleware);
app.get("/at-once", (_req, res) => res.json({ hello: "world" }));
app.get("/late", async (_req, res) => {
  await new Promise((done) => setTimeout(done, 5));
  res.json({ hello: "world" });
});
const server = app.listen(0, "127.0.0.1", () => console.log(server.address()?.port));
