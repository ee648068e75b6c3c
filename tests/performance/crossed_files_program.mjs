/**
 * Prints the functions that one more `res.json` over `app.listen` runs, as JSON: the script, the offset there, and the
 * name of each. For Deno and Node; the entry is an argument, because Node has no import map here.
 */
import { Session } from "node:inspector/promises";
import process from "node:process";

const { default: sluice } = await import(process.argv[2] ?? "@sluice/sluice");
const app = sluice().set("env", "production");
app.get("/items", (_req, res) => void res.json({ id: 1 }));
const server = app.listen({ port: 0, hostname: "127.0.0.1" });
await new Promise((resolve) => server.on("listening", resolve));
const { port } = server;
const ask = async (id) => {
  const response = await fetch(`http://127.0.0.1:${port}/items?${id}`);
  if (response.status !== 200) throw new Error(`the status is ${response.status}`);
  await response.text();
};

// excludes work that is done only once
for (let id = 0; id < 3; id++) await ask(id);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await ask(3);
await session.post("Profiler.takePreciseCoverage");
await ask(4);
const { result } = await session.post("Profiler.takePreciseCoverage");
session.disconnect();
const ran = result.flatMap(({ url, functions }) =>
  functions.filter(({ ranges }) => ranges[0].count > 0).map(({ functionName, ranges }) => ({
    url,
    at: ranges[0].startOffset,
    name: functionName,
    calls: ranges[0].count,
  }))
);
process.stdout.write(`${JSON.stringify(ran)}\n`, () => process.exit(0));
