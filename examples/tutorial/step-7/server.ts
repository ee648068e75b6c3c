import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { RedisStore } from "@sluice/rate-limit";
import { createApp } from "./app.ts";

const { PORT = "3000", DATABASE = "links.db", SECRET, REDIS, PROXIES = "0" } = process.env;
if (SECRET === undefined) throw new Error("Set SECRET to 32 random characters or more");

const db = new DatabaseSync(DATABASE);
const app = createApp({
  db,
  secret: SECRET,
  ...REDIS && { store: new RedisStore({ url: REDIS }) },
});
app.set("trust proxy", Number(PROXIES));
app.on("error", (error, { phase }) => console.error(phase, error));

const server = app.listen(Number(PORT), () => console.log(`http://localhost:${server.port}`));

// docker stop: the load balancer has two seconds to notice, then requests in flight are completed
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, async () => {
    await app.close({ drainDelayMs: 2000, timeoutMs: 8000 });
    db.close();
    process.exit(0);
  });
}
