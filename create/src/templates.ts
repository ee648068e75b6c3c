/** The files that projects are made of, which are in `templates/`. */
import { readFile } from "node:fs/promises";

/**
 * Reads a file.
 *
 * What is published has their texts instead, written by `scripts/template_texts.ts`: registries rewrite imports and leave
 * out files whose name begins with a dot.
 *
 * @param path Its path below `templates/`
 */
export function readTemplate(path: string): Promise<string> {
  return readFile(new URL(`../templates/${path}`, import.meta.url), "utf8");
}
