import jsonServer from "json-server";

export async function start() {
  const app = jsonServer.create();
  const router = jsonServer.router({
    posts: [{ id: 1, title: "first", views: 10 }, { id: 2, title: "second", views: 20 }, { id: 3, title: "third" }],
    comments: [{ id: 1, body: "yes", postId: 1 }, { id: 2, body: "no", postId: 1 }],
    profile: { name: "me" },
  });
  app.use(jsonServer.defaults({ logger: false }));
  app.use(jsonServer.rewriter({ "/blog/:id/show": "/posts/:id", "/articles\\?id=:id": "/posts/:id" }));
  app.use(jsonServer.bodyParser);
  app.use("/api", router);
  app.use(router);
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  return { server, close: () => new Promise((resolve) => server.close(resolve)) };
}
