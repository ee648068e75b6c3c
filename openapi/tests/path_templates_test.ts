import express4 from "@sluice/express/4";
import sluice from "@sluice/sluice";
import { openapi, operation, validate } from "@sluice/openapi";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { assertAccepted } from "./support/assert_accepted.ts";

const INFO = { title: "Test", version: "1" };

/** Registered paths, their OpenAPI templates, and a request path for each template. */
const PATHS: Readonly<Record<string, readonly (readonly [template: string, matching: string])[]>> = {
  "/": [["/", "/"]],
  "/users/:id": [["/users/{id}", "/users/7"]],
  "/notes{/:page}": [["/notes", "/notes"], ["/notes/{page}", "/notes/2"]],
  "/a{/b{/:c}}": [["/a", "/a"], ["/a/b", "/a/b"], ["/a/b/{c}", "/a/b/x"]],
  "/x{/:y}{/z}": [["/x", "/x"], ["/x/z", "/x/z"], ["/x/{y}", "/x/q"], ["/x/{y}/z", "/x/q/z"]],
  "/files/*path": [["/files/{path}", "/files/x/y"]],
  "/from/:a-:b": [["/from/{a}-{b}", "/from/x-y"]],
  '/quoted/:"first name"': [["/quoted/{first name}", "/quoted/x"]],
  "/literal/\\:id": [["/literal/:id", "/literal/:id"]],
  "/old/:id?": [["/old", "/old"], ["/old/{id}", "/old/7"]],
  "/old/:id(\\d+)": [["/old/{id}", "/old/7"]],
  "/old/:id(\\d+)?": [["/old", "/old"], ["/old/{id}", "/old/7"]],
  "/star/*": [["/star/{0}", "/star/x/y"]],
  "/rest/:path(*)": [["/rest/{path}", "/rest/x/y"]],
  "/many/:path*": [["/many/{path}", "/many/x/y"]],
};

for (const [path, expected] of Object.entries(PATHS)) {
  Deno.test(`${path} is written in OpenAPI's syntax, and what the document says is what the route takes`, async () => {
    // which also supports Express 5 paths
    const app = express4().set("env", "test");
    app.get(path, (_req, res) => void res.send("found"));
    const document = openapi(app, INFO);
    assertEquals(Object.keys(document.paths), expected.map(([template]) => template));
    assertEquals(document["x-not-expressible"], undefined);
    for (const [template, matching] of expected) {
      const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
      assertEquals((document.paths[template]!["get"]!.parameters ?? []).map(({ name }) => name), names);
      assertEquals(await (await app.inject(matching)).text(), "found", matching);
    }
    await assertAccepted(document);
  });
}

Deno.test("a path that OpenAPI cannot express is listed once, with its reason", async () => {
  const app = express4();
  const router = sluice.Router();
  router.get("/below", (_req, res) => void res.end());
  app.get(/^\/a(b|c)$/, (_req, res) => void res.end());
  app.use(/^\/v\d+/, router);
  app.get("/ab?cd", (_req, res) => void res.end());
  app.post("/(x|y)", (_req, res) => void res.end());
  // a brace has no other meaning in a template
  app.get("/\\{id\\}", (_req, res) => void res.end());
  // a string, though it looks like an expression
  app.get("/ab/", (_req, res) => void res.end());
  app.use(sluice.Router().ws("/chat", { open: () => {} }));
  app.get("/a{/:b}{/:c}{/:d}{/:e}{/:f}{/:g}", (_req, res) => void res.end());
  const document = openapi(app, INFO);
  assertEquals(Object.keys(document.paths), ["/ab/"]);
  const reasons = document["x-not-expressible"]!.map(({ method, path, reason }) => [method, path, reason]);
  const byExpression = "its path is a regular expression";
  const partly = "its path has parts that OpenAPI has no syntax for";
  assertEquals(reasons, [
    ["GET", "/^\\/a(b|c)$/", byExpression],
    ["GET", "/^\\/v\\d+/below", byExpression],
    ["GET", "/ab?cd", partly],
    ["POST", "/(x|y)", partly],
    ["GET", "/\\{id\\}", partly],
    ["WS", "/chat", "it is a WebSocket"],
    ["GET", "/a{/:b}{/:c}{/:d}{/:e}{/:f}{/:g}", "its path has more than 32 combinations of optional parts"],
  ]);
  await assertAccepted(document);
});

Deno.test("a constraint is the pattern of a parameter, and a wildcard says that it spans segments", () => {
  const app = express4();
  app.get("/old/:id(\\d+)/*rest", (_req, res) => void res.end());
  const { parameters } = openapi(app, INFO).paths["/old/{id}/{rest}"]!["get"]!;
  assertEquals(parameters, [
    { name: "id", in: "path", required: true, schema: { type: "string", pattern: "^(?:\\d+)$" } },
    {
      name: "rest",
      in: "path",
      required: true,
      description: "One segment or several, with slashes between them.",
      schema: { type: "string" },
    },
  ]);
});

Deno.test("two routes of one shape share a path, whatever they name its parameters", async () => {
  const app = sluice();
  app.get("/users/:id", (_req, res) => void res.end());
  app.delete("/users/:name", (_req, res) => void res.end());
  const document = openapi(app, INFO);
  assertEquals(Object.keys(document.paths), ["/users/{id}"]);
  assertEquals(document.paths["/users/{id}"]!["delete"]!.parameters!.map(({ name }) => name), ["id"]);
  await assertAccepted(document);
});

Deno.test("a parameter that is named again below a mount has a name of its own", async () => {
  const app = sluice();
  const inner = sluice.Router();
  inner.get("/posts/:id", (_req, res) => void res.end());
  app.use("/users/:id", inner);
  const document = openapi(app, INFO);
  assertEquals(Object.keys(document.paths), ["/users/{id}/posts/{id2}"]);
  await assertAccepted(document);
});

Deno.test("a schema for a parameter that is named again describes the one that the handler gets", async () => {
  const app = sluice().set("env", "test");
  const inner = sluice.Router({ mergeParams: true });
  const params = z.object({ id: z.number() });
  inner.get("/posts/:id", operation({ examples: { params: { id: 7 } } }), validate({ params }), (req, res) => {
    res.json(req.params);
  });
  app.use("/users/:id", inner);
  const { parameters } = openapi(app, INFO).paths["/users/{id}/posts/{id2}"]!["get"]!;
  assertEquals(parameters!.map(({ name, schema, example }) => [name, schema["type"], example]), [
    ["id", "string", undefined],
    ["id2", "number", 7],
  ]);
  assertEquals(await (await app.inject("/users/ann/posts/7")).json(), { id: 7 });
});
