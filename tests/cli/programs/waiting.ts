/** A program that prints, starts its work when its server listens, and waits until it closes. */
import { once } from "node:events";
import sluice from "@sluice/sluice";

const app = sluice();
app.get("/early", function early(_req, res) {
  res.send("early");
});
const server = app.listen(Number(Deno.env.get("PORT")), "127.0.0.1", () => console.log(`listening on ${server.port}`));
await once(server, "listening");
app.get("/late", function late(_req, res) {
  res.send("late");
});
console.info("ready");
await server.finished;
