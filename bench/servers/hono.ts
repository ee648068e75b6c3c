import { Hono } from "hono";
import { etag } from "hono/etag";

/** Hono with the same scenarios; `tags` adds its ETag middleware. */
export function honoHandler(tags: boolean): (request: Request) => Response | Promise<Response> {
  const app = new Hono();
  if (tags) app.use(etag());
  app.get("/text", (c) => c.text("Hello, World!"));
  app.get("/json", (c) => c.json({ hello: "world" }));
  app.get("/user/:id", (c) => c.json({ id: c.req.param("id") }));
  app.get("/a/:a/b/:b/c/:c", (c) => c.json({ a: c.req.param("a"), b: c.req.param("b"), c: c.req.param("c") }));
  app.post("/echo", async (c) => c.json(await c.req.json()));
  for (const count of [5, 10]) {
    for (let i = 0; i < count; i++) app.use(`/mw${count}`, (_c, next) => next());
    app.get(`/mw${count}`, (c) => c.text("done"));
  }
  for (let i = 0; i < 100; i++) app.get(`/r/${i}/:id`, (c) => c.json({ id: c.req.param("id") }));
  return app.fetch;
}
