/** Validation and documentation in the framework's own route lists. */
import { openapi, operation, validate } from "@sluice/openapi";
import sluice from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { z } from "zod";

const end = (_req: unknown, res: { end(): void }) => void res.end();

function printed(print: () => void): string[] {
  const { log } = console;
  const lines: string[] = [];
  console.log = (text: string) => void lines.push(...text.split("\n"));
  try {
    print();
  } finally {
    console.log = log;
  }
  return lines;
}

Deno.test("lists of routes have the schemas of validate and what operation says, and print them if details are asked for", () => {
  const query = z.object({ q: z.string() });
  const body = z.object({ text: z.string() });
  const app = sluice().set("env", "test");
  const admin = operation({ tags: ["admin"], security: [{ bearer: [] }], deprecated: true });
  const notes = sluice.Router();
  notes.get("/", operation({ summary: "All notes" }), validate({ query, response: { 200: body } }), end);
  notes.post("/", sluice.json(), validate({ body, status: 422 }, (_req, res) => res.end()));
  app.use("/notes", admin, notes);
  app.group("/v1", (group) => group.get(/^\/x$/, validate({ query }), end));

  const [all, write, expression] = app.getRegisteredRoutes("", { details: true });
  assertEquals(all!.middleware.map(({ name }) => name), ["operation", "operation", "validate"]);
  assertEquals(all!.middleware[0]!.operation, { tags: ["admin"], security: [{ bearer: [] }], deprecated: true });
  // the schemas themselves
  assertEquals(all!.middleware[2]!.validates!["query"] === query, true);
  assertEquals(all!.middleware[2]!.responds!["200"] === body, true);
  assertEquals(write!.details!.validates!["body"] === body, true);
  assertEquals(Object.keys(write!.details!.refuses!), ["415", "422"]);
  assertEquals(write!.middleware.find(({ name }) => name === "jsonParser")!.reads, ["application/json"]);
  assertEquals([expression!.byRegExp, expression!.fullPath], [true, "/v1/^\\/x$/"]);

  assertEquals(printed(() => app.printRoutes("", { details: true })), [
    "GET /notes (end)",
    "    operation",
    '    operation  "All notes"',
    "    validate  validates query  responds 200",
    "POST /notes (validate)",
    "    operation",
    "    jsonParser  limits limit 102400 B",
    "    itself  validates body",
    "GET /v1/^\\/x$/ (end)",
    "    validate  validates query",
  ]);
  assertEquals(printed(() => app.printRoutes()), ["GET /notes", "POST /notes", "GET /v1/^\\/x$/"]);
});

Deno.test("routes of a mounted router have its group's security, examples and tags, and its expressions are listed once", () => {
  const app = sluice();
  const inner = sluice.Router();
  inner.get(/^\/file-(\d+)$/, end);
  inner.get(/^\/file-(\d+)$/, end);
  inner.get(
    "/shown",
    operation({ examples: { query: { q: "milk" } } }),
    validate({ query: z.object({ q: z.string() }) }),
    end,
  );
  inner.get("/hidden", operation({ hide: true }), end);
  app.use("/a", operation({ tags: ["a"], security: [{ key: [] }], deprecated: true }), inner);
  app.group("/b", (group) => group.use(operation({ tags: ["b"] })).get("/shown", end));
  const document = openapi(app, { title: "T", version: "1" });
  assertEquals(Object.keys(document.paths), ["/a/shown", "/b/shown"]);
  const { tags, security, deprecated, parameters } = document.paths["/a/shown"]!["get"]!;
  assertEquals([tags, security, deprecated, parameters![0]!.example], [["a"], [{ key: [] }], true, "milk"]);
  assertEquals(document.paths["/b/shown"]!["get"]!.tags, ["b"]);
  const reason = "its path is a regular expression";
  assertEquals(document["x-not-expressible"], [{ method: "GET", path: "/a/^\\/file-(\\d+)$/", reason }]);
});
