/** The scenarios written for Express's API: the same code serves Sluice and Express. */

// deno-lint-ignore no-explicit-any -- two libraries with one API and two sets of types
type Any = any;

/** Registers every scenario. */
export function register(app: Any, json: Any): void {
  app.get("/text", (_req: Any, res: Any) => res.send("Hello, World!"));
  app.get("/json", (_req: Any, res: Any) => res.json({ hello: "world" }));
  app.get("/user/:id", (req: Any, res: Any) => res.json({ id: req.params.id }));
  app.get("/a/:a/b/:b/c/:c", (req: Any, res: Any) => res.json({ a: req.params.a, b: req.params.b, c: req.params.c }));
  app.post("/echo", json, (req: Any, res: Any) => res.json(req.body));
  for (const count of [5, 10]) {
    for (let i = 0; i < count; i++) app.use(`/mw${count}`, (_req: Any, _res: Any, next: Any) => next());
    app.get(`/mw${count}`, (_req: Any, res: Any) => res.send("done"));
  }
  for (let i = 0; i < 100; i++) app.get(`/r/${i}/:id`, (req: Any, res: Any) => res.json({ id: req.params.id }));
}
