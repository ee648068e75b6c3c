import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import express from "express";
import { type Any, type Ask, askBoth } from "../support/sluice_and_express.ts";

const FILE = fileURLToPath(new URL("../fixtures/outside.txt", import.meta.url));

/**
 * Mounts Express applications and routers in Sluice and in Express, asserts that both respond alike, and returns the
 * responses.
 */
async function seenBelow(build: (app: Any, lib: Any) => void, paths: readonly (string | Ask)[]): Promise<string[]> {
  const asks = paths.map((one) => typeof one === "string" ? { path: one } : one);
  const [ours, theirs] = await askBoth(build, asks);
  assertEquals(ours, theirs);
  return ours.map(({ status, body }) => `${status} ${body}`);
}

Deno.test("a mounted Express application answers as it does below Express", async () => {
  const seen = await seenBelow((app: Any) => {
    const inner: Any = express();
    inner.request.greeting = function (this: Any) {
      return `hello ${this.query.name} at ${this.baseUrl}${this.path}`;
    };
    inner.response.shout = function (this: Any, text: string) {
      return this.send(text.toUpperCase());
    };
    inner.use(express.json());
    inner.get("/greet", (req: Any, res: Any) => res.shout(req.greeting()));
    inner.post("/body", (req: Any, res: Any) => res.status(201).json(req.body));
    inner.get("/app", (req: Any, res: Any) => res.json([req.app === inner, res.app === inner, inner.parent === app]));
    inner.get("/path", (_req: Any, res: Any) => res.send(inner.path()));
    inner.get(
      "/file",
      (_req: Any, res: Any) => res.sendFile(FILE),
    );
    inner.get("/redirect", (_req: Any, res: Any) => res.redirect("elsewhere"));
    app.use("/inner", inner);
  }, [
    "/inner/greet?name=ada",
    {
      path: "/inner/body",
      init: { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":[1]}' },
    },
    "/inner/app",
    "/inner/path",
    "/inner/file",
    "/inner/redirect",
    "/inner/nowhere",
  ]);
  assertEquals(seen.slice(0, 4), [
    "200 HELLO ADA AT /INNER/GREET",
    '201 {"a":[1]}',
    "200 [true,true,true]",
    "200 /inner",
  ]);
});

Deno.test("Sluice's body parsers work in an Express application too", async () => {
  const seen = await seenBelow((app: Any, lib: Any) => {
    const inner: Any = express();
    inner.post("/raw", lib.raw({ type: "*/*" }), (req: Any, res: Any) => res.send(req.body.toString("hex")));
    app.use("/inner", inner);
  }, [{ path: "/inner/raw", init: { method: "POST", body: "abc", headers: { "content-type": "a/b" } } }]);
  assertEquals(seen, ["200 616263"]);
});

Deno.test("after a mounted Express application, the request is what it was before, and its errors are passed on", async () => {
  const shown = (req: Any) => `${req.url} ${req.baseUrl} ${typeof req.greeting} ${req.ip === undefined}`;
  const seen = await seenBelow((app: Any, lib: Any) => {
    const inner: Any = express();
    inner.request.greeting = () => "hello";
    inner.get("/thrown", () => {
      throw new Error("from inside");
    });
    inner.get("/router", (req: Any, res: Any) => res.send(`${req.baseUrl} ${req.greeting()}`));
    app.use("/outer/inner", inner);
    app.use("/outer", (req: Any, res: Any, next: Any) => {
      if (req.url === "/inner/nowhere") res.send(`${shown(req)} ${req.app === app}`);
      else next();
    });
    app.use("/in", lib.Router().use("/a", inner));
    app.use((error: Error, req: Any, res: Any, _next: Any) => res.status(500).send(`${error.message} ${shown(req)}`));
  }, ["/outer/inner/nowhere", "/outer/inner/thrown", "/in/a/router"]);
  assertEquals(seen, [
    "200 /inner/nowhere /outer undefined false true",
    "500 from inside /outer/inner/thrown  undefined false",
    "200 /in/a hello",
  ]);
});

Deno.test("a mounted Express application inherits its parent's trust proxy setting", async () => {
  const seen = await seenBelow((app: Any) => {
    app.set("trust proxy", true);
    const inner: Any = express();
    inner.get("/", (req: Any, res: Any) => res.send(`${req.ip} ${req.protocol}`));
    app.use("/inner", inner);
  }, [{ path: "/inner", init: { headers: { "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https" } } }]);
  assertEquals(seen, ["200 192.0.2.7 https"]);
});

Deno.test("after an Express router, req.baseUrl is that of the running layer", async () => {
  const seen = await seenBelow((app: Any) => {
    const router = express.Router();
    router.use("/b", (_req: Any, _res: Any, next: Any) => next());
    app.use("/a", router);
    app.use("/a/b/c", (req: Any, res: Any) => res.send(`${req.baseUrl} ${req.url}`));
    app.get("/a/b/:id", (req: Any, res: Any) => res.send(`'${req.baseUrl}' ${req.url}`));
  }, ["/a/b/c/d", "/a/b/7"]);
  assertEquals(seen, ["200 /a/b/c /d", "200 '' /a/b/7"]);
});

Deno.test("after an Express router that stripped the whole path, the URL has no extra slash", async () => {
  const shown = (req: Any, res: Any) => res.send(`${req.baseUrl} ${req.url}`);
  const seen = await seenBelow((app: Any) => {
    const router = express.Router();
    router.use("/b", (_req: Any, _res: Any, next: Any) => next());
    router.use("/b", (_req: Any, _res: Any, next: Any) => next());
    app.use("/a", router, shown);
    app.use(router, shown);
  }, ["/a/b", "/a/b?q=1", "/a/b/", "/b", "/b?q=1", "/b/c"]);
  assertEquals(seen, ["200 /a /b", "200 /a /b?q=1", "200 /a /b/", "200  /b", "200  /b?q=1", "200  /b/c"]);
});

Deno.test("a URL assigned without a path, as an Express router does, reads back as assigned", async () => {
  const seen = await seenBelow((app: Any, lib: Any) => {
    const assign = (req: Any, res: Any) => {
      const shown = ["", "?q=1", "/", "/c"].map((url) => (req.url = url, `'${req.url}'`));
      res.send(shown.join(" "));
    };
    app.use("/a", assign);
    app.use("/b", lib.Router().use("/c", assign));
    app.use(assign);
  }, ["/a", "/a/x", "/b/c?q=2", "/"]);
  assertEquals(new Set(seen), new Set(["200 '' '?q=1' '/' '/c'"]));
});
