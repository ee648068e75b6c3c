/** A service that closes on a signal, even with requests in progress. Prints its port, and exits on its own. */
import process from "node:process";
import sluice from "@sluice/sluice";

const app = sluice().set("env", "test");
let running = 0;
const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
app.get("/control/running", (_req, res) => res.json(running));
app.get("/control/close", (_req, res) => {
  res.json("closing");
  setTimeout(() => void app.close());
});
// as in a deploy: gives the load balancer, and clients that keep connections, time to notice
process.on("SIGTERM", () => void app.close({ drainDelayMs: Number(process.env["DRAIN_MS"]) }));
app.get("/ready", (_req, res) => res.sendStatus(app.isClosing ? 503 : 200));
app.post("/echo", sluice.json(), async (req, res) => {
  await passed(5);
  res.json(req.body);
});
app.use((_req, res, next) => {
  running++;
  res.on("close", () => running--);
  next();
});
app.get("/slow/:ms", async (req, res) => {
  await passed(Number(req.params.ms));
  res.send("x".repeat(100_000));
});
app.get("/stream/:ms", async (req, res) => {
  for (let i = 0; i < 10; i++) {
    res.write("x".repeat(10_000));
    await passed(Number(req.params.ms) / 10);
  }
  res.end();
});
app.post("/upload/:ms", async (req, res) => {
  const { length } = await req.text();
  await passed(Number(req.params.ms));
  res.send("x".repeat(length));
});
const server = app.listen(
  { port: Number(process.env["PORT"] ?? 0), hostname: "127.0.0.1" },
  () => setTimeout(() => console.log(server.port)),
);
