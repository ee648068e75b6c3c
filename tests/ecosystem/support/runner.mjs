// Serves programs, on Express under Node or on Sluice under Deno, Node or Bun: the first argument is the library. Reads
// commands from standard input, one JSON object per line, and exits when the input ends.
import process from "node:process";
import { createInterface } from "node:readline";

const { default: library } = await import(process.argv[2]);
const closers = new Map();
// error pages are compared; log output is not
console.error = () => {};

// only tags with the same hash can be compared, and Express supports only one hash
function libraryOf(side) {
  if (side.toLowerCase() === "express") return library;
  return Object.assign(() => library().set("etag", "sha1"), library);
}

async function open({ name, tools }) {
  const program = await import(`../programs/${name}.js`);
  const ends = [];
  const lib = libraryOf(tools.side);
  const app = lib();
  // stacks contain file names, which differ
  app.set("env", "production");
  await program.default(app, lib, { ...tools, onClose: (end) => ends.push(end) });
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  closers.set(name, async () => {
    server.close();
    server.closeAllConnections?.();
    for (const end of ends) await end();
  });
  return { port: server.address().port };
}

async function close({ name }) {
  await closers.get(name)?.();
  return {};
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  const answer = await (order.do === "open" ? open(order) : close(order)).catch((error) => ({ error: error.stack }));
  console.log(`answer ${JSON.stringify(answer)}`);
}
process.exit(0);
