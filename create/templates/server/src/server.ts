import process from "node:process";
import { createApp } from "./app.ts";

const app = createApp();
const { PORT = "3000", PROXIES = "0" } = process.env;

// number of proxies trusted to report the client's address
app.set("trust proxy", Number(PROXIES));

const server = app.listen(Number(PORT), () => console.log(`Listening on http://localhost:${server.port}`));

// docker stop and Ctrl-C: requests in progress are completed, then the process exits
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => app.close({ timeoutMs: 8000 }).then(() => process.exit(0)));
}
