import { assertEquals, assertMatch } from "@std/assert";
import { assertAccepted } from "../../../openapi/tests/support/assert_accepted.ts";
import { type Ask, type Chapter, chapter, json } from "../case.ts";
import { FORMS, type Judged, NOTES, posted } from "./validated_corpus.ts";

interface Problem {
  readonly status: number;
  readonly errors: readonly { readonly in: string; readonly pointer: string }[];
}

async function sent(ask: Ask, path: string, init: RequestInit): Promise<[number, unknown]> {
  const response = await ask(path, init);
  const received = await response.text();
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return [response.status, isProblem ? wrongIn(JSON.parse(received)) : received];
}

function wrongIn({ status, errors }: Problem): unknown {
  return [status, (errors ?? []).map((error) => error.in + error.pointer)];
}

async function assertJudged(ask: Ask, path: string, corpus: readonly Judged[]): Promise<void> {
  for (const { name, query = "", init, status } of corpus) {
    const response = await ask(`${path}${query}`, init);
    await response.body?.cancel();
    assertEquals([name, response.status], [name, status]);
  }
}

const DIGITS = { type: "string", pattern: "^\\d+$" };
const FILE = { type: "string", format: "binary" };

/** Requests in the document, regardless of the library that the schemas come from. */
const REQUESTS = {
  parameters: [
    { name: "page", in: "query", required: true, schema: DIGITS },
    { name: "id", in: "path", required: true, schema: DIGITS },
  ],
  bodies: {
    "application/json": {
      schema: {
        type: "object",
        properties: {
          name: { type: "string", maxLength: 100 },
          n: { type: "number", maximum: 1000 },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["n", "name"],
      },
    },
    "multipart/form-data": {
      schema: {
        type: "object",
        properties: { title: { type: "string", maxLength: 20 }, n: DIGITS, picture: FILE },
        required: ["n", "title"],
      },
      encoding: { picture: { contentType: "image/*" } },
    },
  },
  statuses: [["400", "415", "default"], ["415", "422", "default"], ["200", "400"]],
};

interface Operation {
  readonly parameters?: readonly unknown[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly required: string[] } }> };
  readonly responses: Record<string, unknown>;
}

function requestsOf({ paths }: { readonly paths: Record<string, Record<string, Operation>> }): typeof REQUESTS {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const contents = operations.flatMap(({ requestBody }) => Object.entries(requestBody?.content ?? {}));
  const bodies = contents.map(([type, { schema, ...rest }]) => {
    return [type, { schema: { ...schema, required: [...schema.required].sort() }, ...rest }];
  });
  return {
    parameters: operations.flatMap(({ parameters = [] }) => parameters),
    bodies: Object.fromEntries(bodies),
    statuses: operations.map(({ responses }) => Object.keys(responses)),
  } as unknown as typeof REQUESTS;
}

/** Validation with `@sluice/openapi`. */
export const validated: Chapter = chapter("Validation", (it) => {
  for (const library of ["zod", "valibot", "arktype"]) {
    const path = `/validated/${library}`;
    it(`a request is what a schema of ${library} makes of it`, async ({ ask }) => {
      const body = posted({ name: "Ada", n: 1, tags: ["a", "b"] });
      assertEquals(await sent(ask, `${path}?page=2`, body), [200, '["2","Ada",["a","b"]]']);
      assertEquals(await sent(ask, `${path}/one/7`, {}), [200, '{"id":"7"}']);
    });

    it(`what a schema of ${library} refuses is a problem that says where it is`, async ({ ask }) => {
      const wrong = ["query/page", "body/tags/1"];
      const body = { name: "Ada", n: 1, tags: ["a", 2] };
      assertEquals(await sent(ask, `${path}?page=x`, posted(body)), [400, [400, wrong]]);
      const long = posted({ name: "x".repeat(50_000), n: 1 });
      assertEquals(await sent(ask, `${path}?page=1`, long), [400, [400, ["body/name"]]]);
      assertEquals(await sent(ask, `${path}/one/x`, {}), [400, [400, ["params/id"]]]);
      const text = posted("a=1", { "content-type": "text/plain" });
      assertEquals(await sent(ask, `${path}?page=1`, text), [415, [415, []]]);
    });

    it(`schemas of ${library} judge ${NOTES.length} requests as those of other libraries do`, async ({ ask }) => {
      await assertJudged(ask, path, NOTES);
    });

    it(`forms with files are judged by their text with schemas of ${library}`, async ({ ask }) => {
      const { init } = FORMS[0]!;
      assertEquals(await sent(ask, `${path}/form`, init), [200, '["Milk",6]']);
      await assertJudged(ask, `${path}/form`, FORMS);
    });

    it(`the document of schemas of ${library} is accepted by two validators, and wants the same`, async ({ ask }) => {
      const document = await json(ask, `${path}/docs/openapi.json`) as Parameters<typeof assertAccepted>[0];
      await assertAccepted(document);
      assertEquals(requestsOf(document as never), REQUESTS);
      assertEquals(document["x-not-expressible"], undefined);
    });
  }

  it("clients that prefer HTML get a page", async ({ ask }) => {
    const response = await ask("/validated/zod", { method: "POST", headers: { accept: "text/html" } });
    assertEquals(response.status, 400);
    assertMatch(await response.text(), /^<!DOCTYPE html>/);
  });
});
