/** Packs the templates in `create/` into one module, for publishing. */

const TEMPLATES = new URL("../create/templates/", import.meta.url);

/**
 * Replaces the module that reads templates with a module that contains them: JSR rewrites the imports in every
 * TypeScript file, and npm omits or renames files such as `.gitignore`.
 *
 * @param folder Folder with the program's sources
 */
export async function writeTemplateTexts(folder: URL): Promise<void> {
  const texts = Object.fromEntries(await textsBelow(""));
  const code = `/** The files that projects are made of. */
const TEXTS: Readonly<Record<string, string>> = ${JSON.stringify(texts, null, 2)};

/**
 * Reads a file.
 *
 * @param path Its path below \`templates/\`
 */
export function readTemplate(path: string): Promise<string> {
  return Promise.resolve(TEXTS[path]!);
}
`;
  await Deno.writeTextFile(new URL("src/templates.ts", folder), code);
}

async function textsBelow(folder: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, TEMPLATES))) {
    const path = `${folder}${name}`;
    if (isDirectory) found.push(...await textsBelow(`${path}/`));
    else found.push([path, await Deno.readTextFile(new URL(path, TEMPLATES))]);
  }
  // the same order on every machine
  return found.sort(([a], [b]) => a < b ? -1 : 1);
}
