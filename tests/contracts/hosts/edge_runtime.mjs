// Runs a bundled program in Vercel's edge-runtime, and prints where it listens.
import { readFileSync } from "node:fs";

// installed beside the copy of this file that runs, and nowhere else
const name = "edge-runtime";
const { EdgeRuntime, runServer } = await import(name);

const runtime = new EdgeRuntime({ initialCode: readFileSync(process.argv[2], "utf8") });
const server = await runServer({ runtime, host: "127.0.0.1", port: 0 });
console.log(new URL(server.url).port);
