import sluice from "@sluice/sluice";

const app = sluice();
app.get("/", (_req, res) => res.send("Hello"));
Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, app.fetch);
