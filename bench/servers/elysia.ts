import { Elysia } from "elysia";

/** The part of an Elysia application that the benchmarks use. */
export interface ElysiaApp {
  /** Answers a request. */
  fetch(request: Request): Response | Promise<Response>;
  /** Listens with the server of the runtime it is on. */
  listen(options: object, ready: (server: { port: number }) => void): unknown;
}

/** Elysia with the same scenarios; its middleware is hooks before a handler. */
export function elysiaApp(): ElysiaApp {
  const app = new Elysia();
  app.get("/text", () => "Hello, World!");
  app.get("/json", () => ({ hello: "world" }));
  app.get("/user/:id", ({ params }) => ({ id: params.id }));
  app.get("/a/:a/b/:b/c/:c", ({ params: { a, b, c } }) => ({ a, b, c }));
  app.post("/echo", ({ body }) => body as object);
  for (const count of [5, 10]) {
    app.get(`/mw${count}`, () => "done", { beforeHandle: Array.from({ length: count }, () => () => {}) });
  }
  for (let i = 0; i < 100; i++) app.get(`/r/${i}/:id`, ({ params }) => ({ id: params.id }));
  return app as unknown as ElysiaApp;
}
