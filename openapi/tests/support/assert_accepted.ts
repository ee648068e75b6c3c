import { assertEquals } from "@std/assert";
import { validate } from "@readme/openapi-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { OpenApiDocument } from "@sluice/openapi";

// made once, because it compiles the OpenAPI schema
const validator = new Validator();

/** Asserts that two validators from npm accept a document in its serialized form. */
export async function assertAccepted(document: OpenApiDocument): Promise<void> {
  const sent = JSON.stringify(document);
  const first = await validator.validate(JSON.parse(sent));
  assertEquals(first, { valid: true }, JSON.stringify(first));
  const second = await validate(JSON.parse(sent));
  assertEquals([second.valid, second.warnings], [true, []], JSON.stringify(second));
}
