/** Checks in which generation of V8's heap a handler's arguments are, and prints the names of the old ones as JSON. */
import sluice from "@sluice/sluice";

// V8's native syntax is not valid TypeScript
const isYoung = new Function("value", "return %InYoungGeneration(value)") as (value: object) => boolean;

const old: string[] = [];
function look(path: string, given: Readonly<Record<string, object>>): void {
  for (const [name, value] of Object.entries(given)) if (!isYoung(value)) old.push(`${path}: ${name}`);
}

const app = sluice().set("env", "test");
const router = sluice.Router();
app.use((req, res, next) => {
  look(req.path, { req, res, next });
  next();
});
app.get("/user/:id", (req, res, next) => {
  look(req.path, { next, params: req.params, query: req.query });
  res.json(req.params);
});
app.post("/echo", sluice.json(), (req, res) => {
  look(req.path, { body: req.body });
  res.json(req.body);
});
router.get("/late", async (req, res, next) => {
  await undefined;
  look(req.path, { next, params: req.params });
  res.send("late");
});
app.use("/:mount", router);
// handlers with nothing before them run without a walk
const alone = sluice().set("env", "test");
alone.get("/alone/:id", (req, res, next) => {
  look(req.path, { req, res, next, params: req.params });
  res.json(req.params);
});
alone.get("/alone-late", async (req, res, next) => {
  look(req.path, { req, res, next });
  await undefined;
  res.send("late");
});

const json = { "content-type": "application/json" };
for (let i = 0; i < 100; i++) {
  await app.fetch(new Request("http://localhost/user/7?q=1"));
  await app.fetch(new Request("http://localhost/echo", { method: "POST", body: '{"a":{}}', headers: json }));
  await app.fetch(new Request("http://localhost/mount/late"));
  await alone.fetch(new Request("http://localhost/alone/7"));
  await alone.fetch(new Request("http://localhost/alone-late"));
}
console.log(JSON.stringify([...new Set(old)]));
