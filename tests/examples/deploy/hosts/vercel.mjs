// Runs a program as `vercel dev` runs a function on Node: in a process with Vercel's own launcher. Prints its address.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const [folder, entry] = process.argv.slice(2);
const child = fork(fileURLToPath(import.meta.resolve("@vercel/node/dist/dev-server.mjs")), [], {
  cwd: folder,
  // as Vercel does for TypeScript programs
  execArgv: ["--import", import.meta.resolve("tsx")],
  env: { ...process.env, VERCEL_DEV_ENTRYPOINT: entry, VERCEL_DEV_CONFIG: "{}" },
});
child.on("message", ({ port }) => console.log(port));
child.on("exit", (code) => process.exit(code ?? 1));

// the launcher waits for promises the function passed to waitUntil
process.once("SIGTERM", () => child.send("shutdown"));
