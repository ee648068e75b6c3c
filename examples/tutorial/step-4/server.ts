import process from "node:process";
import { RedisStore } from "@sluice/rate-limit";
import { createApp } from "./app.ts";
import { Links } from "./links.ts";

const { PORT = "3000", DATABASE = "links.db", REDIS, PROXIES = "0" } = process.env;
const app = createApp(new Links(DATABASE), REDIS ? new RedisStore({ url: REDIS }) : undefined);

// number of proxies trusted for the client's address
app.set("trust proxy", Number(PROXIES));

const server = app.listen(Number(PORT), () => console.log(`http://localhost:${server.port}`));
