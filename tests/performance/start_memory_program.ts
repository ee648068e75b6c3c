/**
 * Prints how much of V8's young generation the smallest application takes until it binds its port, in KiB:
 * `start_memory_program.ts <URL of mod.js>`.
 */
import v8 from "node:v8";

function used(): number {
  return v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")!.space_used_size;
}

// whoever listens loads Deno's server
void Deno.serve;
// a collection on the way would take away what was made before, so one has to come first; reading allocates, too
for (let last = 0, now = used(); now >= last;) [last, now] = [now, used()];
const before = used();
const { default: sluice } = await import(Deno.args[0]!);
const app = sluice();
app.get("/", (_req: unknown, res: { send(body: string): void }) => res.send("Hello"));
Object.defineProperty(Deno, "serve", {
  value() {
    console.log(((used() - before) / 1024).toFixed());
    Deno.exit();
  },
});
app.listen({ port: 0 });
