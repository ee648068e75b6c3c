/** A source file in the package, without its comments and string literals. */
export interface Source {
  /** Path relative to the root. */
  readonly path: string;
  /** The remaining code. */
  readonly code: string;
  /** Paths of the files it imports, types included. */
  readonly imports: readonly string[];
  /** Other modules it imports. */
  readonly packages: readonly string[];
}

const root = new URL("../../", import.meta.url);

/** Paths of the source files in a folder and its subfolders. */
export async function sourcePaths(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory) paths.push(...await sourcePaths(`${path}/`));
    else if (path.endsWith(".ts")) paths.push(path);
  }
  return paths;
}

/** Reads every source file in a folder and its subfolders. */
export async function readSources(folder: string): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of await sourcePaths(folder)) sources.push(await readSource(path));
  return sources;
}

/** Reads one source file. */
export async function readSource(path: string): Promise<Source> {
  const text = await Deno.readTextFile(new URL(path, root));
  const bare = withoutComments(text);
  const specifiers = [...bare.matchAll(/(?:^|\n)(?:import|export)\b[^;]*?from\s*"([^"]+)"/g)].map((match) => match[1]!);
  const code = withoutTexts(bare);
  return {
    path,
    code,
    imports: specifiers.filter((one) => one.startsWith(".")).map((one) => resolve(path, one)),
    packages: specifiers.filter((one) => !one.startsWith(".")),
  };
}

/** Removes the comments from a program. */
export function withoutComments(program: string): string {
  return program.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1");
}

/** Removes the string literals from a program without comments. */
export function withoutTexts(program: string): string {
  return program.replace(/`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, '""');
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, new URL(from, root)).href.slice(root.href.length);
}
