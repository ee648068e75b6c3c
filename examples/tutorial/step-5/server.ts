import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { RedisStore } from "@sluice/rate-limit";
import { createApp } from "./app.ts";

const { PORT = "3000", DATABASE = "links.db", SECRET, REDIS, PROXIES = "0" } = process.env;
if (SECRET === undefined) throw new Error("Set SECRET to 32 random characters or more");

const app = createApp({
  db: new DatabaseSync(DATABASE),
  secret: SECRET,
  ...REDIS && { store: new RedisStore({ url: REDIS }) },
});
app.set("trust proxy", Number(PROXIES));

const server = app.listen(Number(PORT), () => console.log(`http://localhost:${server.port}`));
