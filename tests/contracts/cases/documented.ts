import { assertEquals } from "@std/assert";
import { type Chapter, chapter, json, text } from "../case.ts";

/** The `@sluice/openapi` document and pages. */
export const documented: Chapter = chapter("OpenAPI", (it) => {
  it("the document has the routes with their schemas, and lists what it cannot express", async ({ ask }) => {
    const document = await json(ask, "/documented/docs/openapi.json") as {
      paths: Record<string, { get: { summary: string; parameters: { in: string; schema: unknown }[] } }>;
      "x-not-expressible": unknown[];
    };
    assertEquals(Object.keys(document.paths), ["/documented/found", "/documented/found/{page}"]);
    const { summary, parameters } = document.paths["/documented/found"]!.get;
    assertEquals([summary, parameters], [
      "Found",
      [{ name: "q", in: "query", required: true, schema: { type: "string", pattern: "^\\d+$" } }],
    ] as never);
    assertEquals(document["x-not-expressible"].length, 1);
  });

  it("the page says where the document is, with a viewer or without", async ({ ask }) => {
    assertEquals((await text(ask, "/documented/docs/")).includes("openapi.json"), true);
    const response = await ask("/documented/docs");
    await response.body?.cancel();
    // without the viewer, no page needs the path with a slash
    assertEquals([302, 404].includes(response.status), true);
  });
});
