import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { Library, Shape } from "./shape.ts";
import { sourceOf } from "./source.ts";

/**
 * Builds a schema from its source, so that a report shows what ran.
 *
 * @param shape The schema
 * @param library The library
 * @returns `undefined` if the library refuses it
 */
export function buildSchema(shape: Shape, library: Library): z.ZodType | undefined {
  // ids are unique in a registry
  z.globalRegistry.clear();
  const build = new Function("z", "v", "toStandardJsonSchema", "type", `return ${sourceOf(shape, library)};`);
  try {
    return build(z, v, toStandardJsonSchema, type);
  } catch (error) {
    // such as arktype, for alternatives that it cannot tell apart
    if (library === "arktype") return undefined;
    throw error;
  }
}
