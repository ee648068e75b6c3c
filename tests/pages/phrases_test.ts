/**
 * Pages, docstrings, comments and messages use the terms of the field. Fixed phrases that read translated are refused,
 * each with a replacement; single words are allowed.
 */
import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

/** Phrases, and the wording an Express maintainer would use. */
const REFUSED: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bwhat becomes of\b/i, "what happens to"],
  [/\bfor so (?!long\b|much\b|many\b)/i, "because then"],
  [/\bwith which chance\b/i, "the probability that"],
  [/\bin that it\b/i, "by"],
  [/\bruns? on whatever\b/i, "runs on any runtime with"],
  [/\borderly (?:shutdown|end)\b/i, "graceful shutdown"],
  [
    /\bclients? (?:that|which|who) (?:leaves?|left|goes? away|has left|have left|is gone|are gone)\b/i,
    "disconnected client",
  ],
  [/\bwhoever\b/i, "the caller, the handler, the client: who it is"],
  [/\b(?:is|are) told (?:nobody|no one|of|about|what|that|who|where|to whom)\b/i, "is notified, receives, gets"],
  [/\bis no error\b/i, "is not an error"],
  [/\b(?:that|which) (?:is|are) no (?!longer\b|more\b|less\b|older\b|newer\b|such\b)[a-z]+/i, "that is not a"],
  [/\brare data\b/i, "cold fields"],
  [/\bat the most\b/i, "at most"],
  [/\bgives? away\b/i, "passes on, or reveals"],
  [/\bmend(?:s|ed|ing)? (?:it|this|that|the|a|what)\b/i, "fix"],
  [/\bby hand\b/i, "hand-written, or manually"],
  [/\bwhat is gone\b/i, "what was removed"],
  [/\bwrappers? around (?:a|the) stores?\b/i, "store decorator"],
  [/\bwhat no route takes\b/i, "an unmatched request"],
  [/\bhas to do with\b/i, "concerns"],
  [
    /\b(?:nobody|somebody) (?:else )?(?:asks?|asked|knows?|reads?|uses?|takes?|waits?|listens?|needs?|wants?|has|is)\b/i,
    "name who it is",
  ],
];

/** Folders with published sources, and with pages. */
const FOLDERS = [
  "docs/",
  "src/",
  "limiting/",
  "shared/",
  "advanced/src/",
  "middleware/src/",
  "openapi/src/",
  "create/src/",
  "express/src/",
];

async function proseFiles(): Promise<string[]> {
  const found: string[] = [];
  async function walk(folder: string, isDeep: boolean): Promise<void> {
    for await (const { name, isDirectory } of Deno.readDir(new URL(folder || "./", ROOT))) {
      if (isDirectory) {
        if (isDeep && !name.startsWith(".") && name !== "node_modules") await walk(`${folder}${name}/`, true);
      } else if (/\.(?:md|ts)$/.test(name)) found.push(folder + name);
    }
  }
  for (const folder of FOLDERS) await walk(folder, true);
  for (const folder of ["", "advanced/", "middleware/", "openapi/", "create/", "express/"]) await walk(folder, false);
  return found.sort();
}

/** A file's prose, without line breaks, comment markers and code blocks. */
function proseOf(path: string, text: string): string {
  const plain = path.endsWith(".ts") ? text.replaceAll(/^ *(?:\*|\/\/) ?/gm, "") : text;
  return plain.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/\s+/g, " ");
}

Deno.test("no page, docstring, comment or message has a phrase that reads translated", async () => {
  const files = await proseFiles();
  assert(files.length > 500, "the sources are found");
  const found: string[] = [];
  for (const path of files) {
    const prose = proseOf(path, await Deno.readTextFile(new URL(path, ROOT)));
    for (const [phrase, instead] of REFUSED) {
      for (const match of prose.matchAll(new RegExp(phrase, "gi"))) {
        const around = prose.slice(Math.max(0, match.index - 40), match.index + match[0].length + 30);
        found.push(`${path}: “…${around}…” (${instead})`);
      }
    }
  }
  assertEquals(found, []);
});
