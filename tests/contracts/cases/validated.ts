import { assertEquals, assertMatch } from "@std/assert";
import { type Ask, type Chapter, chapter } from "../case.ts";

interface Problem {
  readonly status: number;
  readonly errors: readonly { readonly in: string; readonly pointer: string }[];
}

async function posted(ask: Ask, path: string, body: unknown, type = "application/json"): Promise<[number, unknown]> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await ask(path, { method: "POST", headers: { "content-type": type }, body: text });
  const received = await response.text();
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return [response.status, isProblem ? wrongIn(JSON.parse(received)) : received];
}

function wrongIn({ status, errors }: Problem): unknown {
  return [status, (errors ?? []).map((error) => error.in + error.pointer)];
}

/** Validation of `@sluice/openapi`. */
export const validated: Chapter = chapter("Validation", (it) => {
  for (const library of ["zod", "valibot", "arktype"]) {
    const path = `/validated/${library}`;
    it(`a request is what a schema of ${library} makes of it`, async ({ ask }) => {
      assertEquals(await posted(ask, `${path}?page=2`, { name: "Ada", tags: [1, 2] }), [200, '["2",[1,2]]']);
    });

    it(`what a schema of ${library} refuses is a problem that says where it is`, async ({ ask }) => {
      const wrong = ["query/page", "body/tags/1"];
      assertEquals(await posted(ask, `${path}?page=x`, { name: "Ada", tags: [1, "2"] }), [400, [400, wrong]]);
      const long = { name: "x".repeat(50_000), tags: [] };
      assertEquals(await posted(ask, `${path}?page=1`, long), [400, [400, ["body/name"]]]);
      assertEquals(await posted(ask, `${path}?page=1`, "a=1", "text/plain"), [415, [415, []]]);
    });
  }

  it("clients that prefer HTML get a page", async ({ ask }) => {
    const response = await ask("/validated/zod", { method: "POST", headers: { accept: "text/html" } });
    assertEquals(response.status, 400);
    assertMatch(await response.text(), /^<!DOCTYPE html>/);
  });
});
