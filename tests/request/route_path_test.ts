import sluice, { type FrameworkApp, type Handler, Router } from "@sluice/sluice";
import { assertEquals } from "@std/assert";

const show: Handler = (req, res) => res.json(req.routePath ?? null);

async function shown(app: FrameworkApp, path: string, init?: RequestInit): Promise<unknown> {
  return await (await app.inject(path, init)).json();
}

Deno.test("req.routePath is the path of the route with those of its mounts", async () => {
  const members = Router({ mergeParams: true });
  members.get("/", show).get("/:name", show);
  const teams = Router().use("/:team/members", members);
  const admin = sluice().get("/users/:id", show);
  const app = sluice().get("/", show).get("/users/:id", show).use("/teams", teams).use("/admin", admin);
  app.group("/group/:g", (group) => void group.get("/x", show));
  assertEquals(
    await Promise.all(
      ["/", "/users/7", "/teams/1/members", "/teams/1/members/ada", "/admin/users/7", "/group/1/x"].map((path) =>
        shown(app, path)
      ),
    ),
    ["/", "/users/:id", "/teams/:team/members", "/teams/:team/members/:name", "/admin/users/:id", "/group/:g/x"],
  );
});

Deno.test("req.routePath is whole in an application that is mounted in a router, or called by a handler", async () => {
  const [inner, called] = [1, 2].map(() => sluice().get("/users/:id", show)) as [FrameworkApp, FrameworkApp];
  const app = sluice().use("/admin", Router().use("/:area", inner));
  app.use((req, res, next) => called.handle(req, res, next));
  assertEquals([await shown(app, "/admin/1/users/7"), await shown(app, "/users/7")], [
    "/admin/:area/users/:id",
    "/users/:id",
  ]);
});

Deno.test("of several paths, req.routePath is the one that matched", async () => {
  const router = Router().get(["/a", "/b/:id"], show);
  const app = sluice().use(["/one", "/two/:n"], router).use("/three", router).get(/^\/r(\d)$/, show);
  assertEquals(
    await Promise.all(["/one/a", "/two/2/b/7", "/three/a", "/r7"].map((path) => shown(app, path))),
    ["/one/a", "/two/:n/b/:id", "/three/a", "/^\\/r(\\d)$/"],
  );
});

Deno.test("req.routePath follows a rewritten URL, and routes that are registered later", async () => {
  const app = sluice().use((req, _res, next) => {
    req.url = req.url.replace("/old", "/new");
    next();
  });
  const route: Handler = show;
  app.get("/new/:id", route);
  assertEquals(await shown(app, "/old/7"), "/new/:id");
  app.get("/later", show);
  assertEquals(await shown(app, "/later"), "/later");
});

Deno.test("req.routePath is there when the response is over, and nothing without a route", async () => {
  const seen: unknown[] = [];
  const app = sluice().use((req, res, next) => {
    res.once("close", () => seen.push(req.routePath));
    next();
  });
  app.use("/api/:version", Router().get("/:id", async (_req, res) => res.send(await Promise.resolve("found"))));
  app.get("/web", () => new Response("web"));
  app.use("/plain", (_req, res) => res.send("middleware"));
  for (const path of ["/api/1/7", "/web", "/plain", "/none"]) await (await app.inject(path)).text();
  assertEquals(seen, ["/api/:version/:id", "/web", undefined, undefined]);
});

Deno.test("a program may put something of its own under req.routePath", async () => {
  const app = sluice().get("/", (req, _res, next) => {
    req.routePath = "own";
    next();
  }, show);
  assertEquals(await shown(app, "/"), "own");
});
