/** The counted handlers: an application with the routes from `counted_requests.ts`, and a hand-written handler. */
import sluice, { type FrameworkApp } from "@sluice/sluice";

/** Responds to a request. */
export type FetchHandler = (request: Request, info?: unknown) => Response | Promise<Response>;

/** The contestants, by figure name. */
export const COUNTED: Readonly<Record<"raw" | "lean" | "defaults", FetchHandler>> = {
  raw: byHand,
  lean: countedApp().set("etag", false).set("json charset", false).fetch as FetchHandler,
  defaults: countedApp().fetch as FetchHandler,
};

/** An application with default settings. */
export function countedApp(): FrameworkApp {
  const app = sluice().set("env", "production");
  app.get("/text", (_req, res) => res.send("Hello, World!"));
  app.get("/json", (_req, res) => res.json({ hello: "world" }));
  app.get("/user/:id", (req, res) => res.json({ id: req.params["id"] }));
  app.get("/a/:a/b/:b/c/:c", (req, res) => {
    const { a, b, c } = req.params;
    res.json({ a, b, c });
  });
  app.post("/echo", sluice.json(), (req, res) => res.json(req.body));
  for (const count of [5, 10]) {
    for (let i = 0; i < count; i++) app.use(`/mw${count}`, (_req, _res, next) => next());
    app.get(`/mw${count}`, (_req, res) => res.send("done"));
  }
  for (let i = 0; i < 100; i++) app.get(`/r/${i}/:id`, (req, res) => res.json({ id: req.params["id"] }));
  return app;
}

function byHand(request: Request): Response | Promise<Response> {
  const { url } = request;
  const path = url.slice(url.indexOf("/", 8));
  switch (path) {
    case "/text":
      return new Response("Hello, World!");
    case "/json":
      return Response.json({ hello: "world" });
    case "/mw5":
    case "/mw10":
      return new Response("done");
    case "/echo":
      return request.json().then((value) => Response.json(value));
  }
  if (path.startsWith("/user/")) return Response.json({ id: path.slice(6) });
  const parts = path.split("/");
  if (parts[1] === "a") return Response.json({ a: parts[2], b: parts[4], c: parts[6] });
  if (parts[1] === "r" && parts[2] === "99") return Response.json({ id: parts[3] });
  return new Response("Not Found", { status: 404 });
}
