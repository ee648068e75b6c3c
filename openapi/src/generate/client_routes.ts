import type { DetailedRoute } from "@sluice/sluice";
import { pathTemplates } from "../document/path_templates.ts";

/** Names that a path parameter may have without quotes. */
const PLAIN_NAME = /^[$_\p{ID_Start}\d][$\u200c\u200d\p{ID_Continue}]*$/u;
const CONTINUES_NAME = /^[$\u200c\u200d\p{ID_Continue}]/u;

/** Path parameters that span several segments, by the path's shape. */
export class Wildcards {
  readonly #byShape = new Map<string, readonly boolean[]>();

  /** @param routes An application's routes */
  constructor(routes: readonly DetailedRoute[]) {
    for (const { fullPath, byRegExp } of routes) {
      const templates = byRegExp === true ? [] : pathTemplates(fullPath);
      if (typeof templates === "string") continue;
      for (const { path, params } of templates) {
        const shape = shapeOf(path);
        if (!this.#byShape.has(shape)) this.#byShape.set(shape, params.map(({ spans }) => spans));
      }
    }
  }

  /**
   * Returns which of a path's parameters span several segments.
   *
   * @param template The path in OpenAPI's syntax
   * @returns One value per parameter, in order
   */
  of(template: string): readonly boolean[] {
    return this.#byShape.get(shapeOf(template)) ?? [];
  }
}

function shapeOf(template: string): string {
  return template.replace(/\{[^{}]*\}/g, "{}");
}

/**
 * Converts a path to route syntax, without optional parts: `/users/:id`.
 *
 * @param template The path in OpenAPI's syntax
 * @param spans Which of its parameters span several segments
 */
export function routePath(template: string, spans: readonly boolean[]): string {
  const parts = template.split(/\{([^{}]*)\}/);
  return parts.map((part, i) => {
    if (i % 2 === 0) return part.replace(/[\\:*"]/g, "\\$&");
    const isPlain = PLAIN_NAME.test(part) && !CONTINUES_NAME.test(parts[i + 1] ?? "");
    return `${spans[(i - 1) / 2] ? "*" : ":"}${isPlain ? part : JSON.stringify(part)}`;
  }).join("");
}
