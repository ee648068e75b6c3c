import { H3 } from "h3";

/** h3 with the same scenarios. */
export function h3App(): H3 {
  const app = new H3();
  app.get("/text", () => "Hello, World!");
  app.get("/json", () => ({ hello: "world" }));
  app.get("/user/:id", (event) => ({ id: event.context.params!["id"] }));
  app.get("/a/:a/b/:b/c/:c", ({ context: { params } }) => ({ a: params!["a"], b: params!["b"], c: params!["c"] }));
  app.post("/echo", async (event) => await event.req.json());
  for (const count of [5, 10]) {
    for (let i = 0; i < count; i++) app.use(`/mw${count}`, (_event, next) => next());
    app.get(`/mw${count}`, () => "done");
  }
  for (let i = 0; i < 100; i++) app.get(`/r/${i}/:id`, (event) => ({ id: event.context.params!["id"] }));
  return app;
}
