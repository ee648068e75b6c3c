import process from "node:process";
import { createApp } from "./app.ts";
import { Links } from "./links.ts";

const { PORT = "3000", DATABASE = "links.db" } = process.env;
const app = createApp(new Links(DATABASE));

const server = app.listen(Number(PORT), () => console.log(`http://localhost:${server.port}`));
