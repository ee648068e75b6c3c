/**
 * Serves bodies, with a hand-written handler or with Sluice: `serve.ts <raw|sluice> <file>`. Prints its port when it
 * listens.
 */
import type { FetchHandler } from "../servers/handlers.ts";
import { rawBodies } from "./raw.ts";
import { sluiceBodies } from "./sluice.ts";

const [contestant = "", file = ""] = Deno.args;
const handler: FetchHandler = contestant === "raw" ? rawBodies(file) : sluiceBodies(file);
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, handler);
