/** A service that reads every kind of body with the default limits. Prints its port. */
import sluice from "@sluice/sluice";

const app = sluice().set("env", "test");
app.post("/parsed", sluice.json(), (req, res) => res.json(Object.keys(req.body).length));
app.post("/json", async (req, res) => res.json(Object.keys(await req.json()).length));
app.post("/bytes", async (req, res) => res.json((await req.arrayBuffer()).byteLength));
const server = app.listen({ port: 0, hostname: "127.0.0.1" }, () => setTimeout(() => console.log(server.port)));
