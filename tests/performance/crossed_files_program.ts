/** Prints the files of the core that run between `app.fetch` and its `Response`, as JSON. */
import { Session } from "node:inspector/promises";
import sluice from "@sluice/sluice";

/** What the inspector says of a script. */
interface Coverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

const app = sluice().set("env", "production");
app.get("/items", (_req, res) => void res.json({ id: 1 }));
const ask = (id: number) => app.fetch(new Request(`http://localhost/items?${id}`)) as Response;

// what is only done once is no part of it
ask(0);
using session = Object.assign(new Session(), { [Symbol.dispose]: () => session.disconnect() });
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await session.post("Profiler.takePreciseCoverage");
const { status } = ask(1);
const { result } = await session.post("Profiler.takePreciseCoverage") as unknown as { result: Coverage[] };
if (status !== 200) throw new Error(`the status is ${status}`);
const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0));
const files = ran.map(({ url }) => /\/(src\/.*)$/.exec(url)?.[1]).filter((file) => file !== undefined);
console.log(JSON.stringify(files.sort()));
