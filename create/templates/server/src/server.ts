import process from "node:process";
import { createApp } from "./app.ts";

const app = createApp();
const { PORT = "3000", PROXIES = "0" } = process.env;

// number of proxies whose word on the client's address is taken
app.set("trust proxy", Number(PROXIES));

const server = app.listen(Number(PORT), () => console.log(`Listening on http://localhost:${server.port}`));

// docker stop and Ctrl-C: requests in progress are answered, then the process ends
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => app.close({ timeoutMs: 8000 }).then(() => process.exit(0)));
}
