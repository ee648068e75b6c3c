import sluice from "@sluice/sluice";

const app = sluice();
let count = 0;
app.use((req, _res, next) => {
  console.log(req.method, req.path);
  next();
});
app.get("/notes/:id", (req, res) => {
  res.json({ id: req.params.id, q: req.query["q"], key: req.get("x-key"), ip: req.ip, by: ++count });
});
app.post("/notes", sluice.json(), (req, res) => {
  res.status(201).cookie("a", "1").cookie("b", "2").json(req.body);
});
app.put("/notes", sluice.text(), (req, res) => res.status(404).send(`${req.get("content-type")} ${req.body}`));
app.get("/bytes", (_req, res) => res.send(new Uint8Array([0xff, 0, 1])));
app.get("/wrong", (_req, res) => res.type("json").send("{"));
app.get("/none", (_req, res) => void res.on("close", () => {}));
app.get("/endless", (_req, res) => {
  res.type("text/event-stream");
  res.write("data: 1\n\n");
});
app.listen(3000);
