// Runs a bundled program in Vercel's edge-runtime, and prints its address.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

// installed only beside the copy of this file that runs
const name = "edge-runtime";
const { createHandler, EdgeRuntime } = await import(name);

const runtime = new EdgeRuntime({ initialCode: readFileSync(process.argv[2], "utf8") });
const { context } = runtime;

// like the package's own server, which passes no signal
const server = createServer((req, res) => {
  const client = new context.AbortController();
  res.on("close", () => res.writableFinished || client.abort());
  const dispatchFetch = (url, init) => runtime.dispatchFetch(url, { ...init, signal: client.signal });
  const evaluate = (code) => runtime.evaluate(code);
  const { handler } = createHandler({ runtime: { context, evaluate, dispatchFetch } });
  // the package's own server crashes when a body fails
  handler(req, res).catch(() => {});
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
