/** The service's static files. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seededRandom } from "../../advanced/src/testing/seeded_random.ts";

/** The folder they are written to. */
export const FOLDER: string = fileURLToPath(new URL("../../.cache/bench/files/", import.meta.url));

/** The files' names. */
export const FILES: readonly string[] = Array.from({ length: 200 }, (_, i) => `part-${String(i).padStart(3, "0")}.css`);

const BYTES = 4096;
/** The same in every run and for every contestant, because it becomes `Last-Modified`. */
const CHANGED = new Date("2026-01-02T03:04:05Z");

const texts = new Map<string, string>();

/**
 * Returns a file's content.
 *
 * @param name Its name
 */
export function fileText(name: string): string {
  let text = texts.get(name);
  if (text === undefined) texts.set(name, text = newText(name));
  return text;
}

function newText(name: string): string {
  const draw = seededRandom(FILES.indexOf(name) + 1);
  let text = `/* ${name} */\n`;
  while (text.length < BYTES) text += `.c${draw(100_000)} { margin: ${draw(64)}px; }\n`;
  return text.slice(0, BYTES);
}

/**
 * Writes the files.
 *
 * @param folder Output folder; created if missing
 */
export async function writeFiles(folder = FOLDER): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const name of FILES) {
    const path = join(folder, name);
    await Deno.writeTextFile(path, fileText(name));
    await Deno.utime(path, CHANGED, CHANGED);
  }
}
