/** A service that closes when it is told to, whatever runs. Prints its port, and ends by itself. */
import sluice from "@sluice/sluice";

const app = sluice().set("env", "test");
let running = 0;
app.get("/control/running", (_req, res) => res.json(running));
app.get("/control/close", (_req, res) => {
  res.json("closing");
  setTimeout(() => void app.close());
});
app.use((_req, res, next) => {
  running++;
  res.on("close", () => running--);
  next();
});
const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
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
const server = app.listen({ port: 0, hostname: "127.0.0.1" }, () => setTimeout(() => console.log(server.port)));
