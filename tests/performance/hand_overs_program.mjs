/**
 * Prints the functions that run for one more `res.json` over `app.listen`, in order, as JSON: the script, the line there
 * and the name of each. A debugger in the same process steps through the code. For Node; the entry is an argument,
 * because Node has no import map here.
 */
import { Session } from "node:inspector";
import process from "node:process";

const { default: sluice } = await import(process.argv[2]);
const app = sluice().set("env", "production");
app.get("/items", (_req, res) => void res.json({ id: 1 }));
const server = app.listen({ port: 0, hostname: "127.0.0.1" });
await new Promise((resolve) => server.on("listening", resolve));
const ask = async () => await (await fetch(`http://127.0.0.1:${server.port}/items`)).text();

// excludes work that is done only once
for (let i = 0; i < 3; i++) await ask();
const session = new Session();
session.connect();
const urls = new Map();
session.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => urls.set(scriptId, url));
const ran = [];
let depth = 0;
session.on("Debugger.paused", ({ params: { callFrames } }) => {
  const [{ functionName: name, functionLocation, location }] = callFrames;
  depth ||= callFrames.length;
  if (callFrames.length < depth) return session.post("Debugger.resume");
  ran.push({ url: urls.get(location.scriptId), line: (functionLocation ?? location).lineNumber, name });
  session.post("Debugger.stepInto");
});
session.post("Debugger.enable");
session.post("Debugger.setBlackboxPatterns", { patterns: ["^node:"] });
globalThis.listener = server.listeners("request")[0];
session.post("Runtime.evaluate", { expression: "listener" }, (_error, { result: { objectId } }) => {
  session.post("Debugger.setBreakpointOnFunctionCall", { objectId });
});
await ask();
session.disconnect();
process.stdout.write(`${JSON.stringify(ran)}\n`, () => process.exit(0));
