import { RedisStore } from "connect-redis";
import session from "express-session";
import { createClient } from "redis";

export const title = "connect-redis keeps express-session's sessions in Redis through npm:redis";

export const packages = ["connect-redis", "redis"];

export default async function (app, _lib, tools) {
  const client = createClient({ url: tools.redis });
  client.on("error", () => {});
  await client.connect();
  tools.onClose(() => client.close());
  const store = new RedisStore({ client, prefix: `ecosystem:${tools.side}:` });
  await store.clear(() => {});
  app.use(
    session({ store, resave: false, saveUninitialized: false, secret: "keyboard cat", cookie: { maxAge: 60_000 } }),
  );
  app.get("/", (req, res) => {
    req.session.views = (req.session.views ?? 0) + 1;
    res.json({ views: req.session.views });
  });
  app.get(
    "/count",
    async (_req, res) => res.json(await client.keys(`ecosystem:${tools.side}:*`).then((keys) => keys.length)),
  );
  app.get("/ttl", async (req, res) => res.json(await client.ttl(`ecosystem:${tools.side}:${req.sessionID}`) > 50));
  app.get("/destroy", (req, res, next) => req.session.destroy((error) => error ? next(error) : res.send("gone")));
  app.get("/streamed", (req, res) => {
    req.session.streamed = true;
    res.write("one ");
    res.end("two");
  });
}

export const masks = [/(?<=connect\.sid=)[^;]+/g];

export const requests = [
  { path: "/count", sees: { body: "0" } },
  { path: "/", jar: "a", sees: { body: { views: 1 }, headers: { "set-cookie": /^connect\.sid=s%3A/ } } },
  { path: "/", jar: "a", sees: { body: { views: 2 } } },
  { path: "/", jar: "b", sees: { body: { views: 1 } } },
  { path: "/count", sees: { body: "2" } },
  { path: "/ttl", jar: "a", sees: { body: "true" } },
  { path: "/streamed", jar: "a", sees: { body: "one two" } },
  { path: "/destroy", jar: "a", sees: { body: "gone" } },
  { path: "/count", sees: { body: "1" } },
  { path: "/", jar: "a", sees: { body: { views: 1 } } },
  { path: "/destroy", jar: "a" },
  { path: "/destroy", jar: "b" },
  { path: "/count", sees: { body: "0" } },
];
