/**
 * A program with 41 operations matches its document: it accepts what the document allows, and sends only what it
 * declares.
 */
import { openapi, type OpenApiDocument } from "@sluice/openapi";
import { assert, assertEquals } from "@std/assert";
import { random } from "../../tests/support/random.ts";
import { assertAccepted } from "./support/assert_accepted.ts";
import { DocumentRequests } from "./support/document_requests.ts";
import { DocumentResponses } from "./support/document_responses.ts";
import { shop } from "./support/shop.ts";

/** Requests per operation and environment. */
const ROUNDS = 20;

const OPTIONS = { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } };

function documentOf(app: ReturnType<typeof shop>): OpenApiDocument {
  return openapi(app, { title: "Shop", version: "1" }, OPTIONS);
}

Deno.test("the document of the shop is valid, expresses all of it, and is the same each time", async () => {
  const document = documentOf(shop("test"));
  await assertAccepted(document);
  assertEquals(document["x-not-expressible"], undefined);
  assertEquals(documentOf(shop("test")), document);
  const operations = Object.values(document.paths).flatMap((item) => Object.keys(item));
  assertEquals(operations.length, 42, "41 routes, one of which has two paths");
});

for (const env of ["development", "production"]) {
  Deno.test(`valid requests made from the document are taken, and responses are in it, in ${env}`, async () => {
    const app = shop(env);
    const document = documentOf(app);
    const requests = new DocumentRequests(document, random(4));
    const responses = new DocumentResponses(document);
    const { warn } = console;
    const warnings = new Set<string>();
    console.warn = (text: string) => void warnings.add(text);
    const wrong: string[] = [];
    let count = 0;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (const [path, item] of Object.entries(document.paths)) {
          for (const [method, operation] of Object.entries(item)) {
            const { target, init } = requests.valid(path, method, operation);
            const response = await app.inject(target, init);
            const text = await response.text();
            count++;
            const told = `${init.method} ${target} ${response.status} ${text.slice(0, 300)}`;
            if (response.status >= 400) wrong.push(told);
            const fault = responses.fault(operation, response.status, text);
            if (fault !== undefined) wrong.push(`${fault}: ${told}`);
          }
        }
      }
    } finally {
      console.warn = warn;
    }
    assertEquals(wrong, []);
    assertEquals(count, ROUNDS * 42);
    const told = [...warnings].filter((text) => text.includes("/passwordHash"));
    assert(env === "production" ? told.length === 0 : told.length > 10, [...warnings].join("\n"));
  });
}
