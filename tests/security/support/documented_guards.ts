/**
 * Guards in the documentation's examples: lines that decide who may do something, or how much of it. They are in
 * TypeScript blocks in pages and READMEs, and in documentation comments.
 */

const ROOT = new URL("../../../", import.meta.url);

/** Folders and files with documentation for users. */
const DOCUMENTED = [
  ...["README.md", "docs/", "src/", "limiting/", "shared/", "advanced/", "middleware/", "openapi/", "create/"],
  ...["mod.ts", "node.ts", "lambda.ts", "fastly.ts", "redis.ts", "cli.ts", "workers.ts", "types.ts"],
];
/** Files that users do not read for examples, and pages with code from elsewhere. */
const OTHERS = /(?:^|\/)(?:tests|templates|decisions|measurements|node_modules)\//;

const GUARD = new RegExp(
  [
    // options that let requests in
    /\b(?:authorize|hosts|origins|skip)\s*[:,}]/,
    /\bsecret(?::|\s*\})/,
    // refusals
    /\b(?:HttpError|refused|status|sendStatus)\(40[13]\b/,
    // functions and middleware that authenticate
    /\b(?:csrf|session|timingSafeEqual|jwtVerify|dashboard|fetchDashboard)\(/,
    /\b(?:signedIn|requireKey|authenticated|isAdmin)\b/,
    /\b(?:get\("|headers(?:\.get\("|\["))(?:x-(?!request)[\w-]*(?:key|user|tenant|token|secret)|authorization|cookie)"/i,
    // decisions based on a value from the client
    /=>\s*(?:req|request|c|ctx)\.(?:path|ip|hostname|host|url)\b.*(?:===|!==|\.test\()|\.test\(req\.(?:path|ip|host)/,
    /\b(?:req|request)\.(?:ip|hostname|host)\s*[!=]==/,
  ].map(({ source }) => source).join("|"),
  "i",
);

export interface Example {
  /** Its file, relative to the root. */
  readonly file: string;
  readonly code: string;
}

/** A line in an example that guards something. */
export interface DocumentedGuard {
  readonly file: string;
  readonly line: string;
}

/**
 * A file's examples.
 *
 * @param file Its path
 * @param text Its contents
 */
export function examplesOf(file: string, text: string): Example[] {
  const fence = file.endsWith(".md")
    ? /^( *)```(?:ts|js)\b[^\n]*\n(.*?)^\1```$/gms
    : /^( *\* )```(?:ts|js)\b[^\n]*\n(.*?)^\1```$/gms;
  return [...text.matchAll(fence)].map(([, , code]) => ({
    file,
    code: file.endsWith(".md") ? code! : code!.replaceAll(/^ *\* ?/gm, ""),
  }));
}

/**
 * The guards in examples.
 *
 * @param examples The examples
 */
export function guardsOf(examples: readonly Example[]): DocumentedGuard[] {
  return examples.flatMap(({ file, code }) =>
    code.split("\n").map((line) => line.trim())
      .filter((line) => GUARD.test(line) && !/^(?:import|declare|\/[/*]|\*|console\.)/.test(line))
      .map((line) => ({ file, line }))
  );
}

/** All examples in the documentation. */
export function documentedExamples(): Example[] {
  return DOCUMENTED.flatMap(filesOf).flatMap((file) => examplesOf(file, Deno.readTextFileSync(new URL(file, ROOT))));
}

function filesOf(path: string): string[] {
  if (!path.endsWith("/")) return [path];
  return [...Deno.readDirSync(new URL(path, ROOT))].flatMap(({ name, isDirectory }) => {
    const found = isDirectory ? `${path}${name}/` : `${path}${name}`;
    if (OTHERS.test(found)) return [];
    return isDirectory ? filesOf(found) : /\.(?:md|ts)$/.test(name) ? [found] : [];
  });
}

const PROGRAMS = new URL("../../../.cache/guards/", import.meta.url);
let written = 0;

/**
 * Runs an example without listening, and returns its definitions.
 *
 * @param file The file it is in
 * @param part A string in it and in no earlier example
 * @param names Names to return from it
 * @param around Code that turns a fragment into a program
 * @throws {Error} If there is no such example
 */
export async function defined<Names extends string>(
  file: string,
  part: string,
  names: readonly Names[],
  around: { before?: string; after?: string } = {},
  // deno-lint-ignore no-explicit-any -- whatever the example defines
): Promise<Record<Names, any>> {
  const example = examplesOf(file, await Deno.readTextFile(new URL(file, ROOT))).find(({ code }) =>
    code.includes(part)
  );
  if (example === undefined) throw new Error(`${file} has no example with ${part}`);
  const code = example.code.replaceAll(/^app\.listen\(.*\);$/gm, "").replace(/^Deno\.serve\(/m, "const serve = (");
  const { before = "", after = "" } = around;
  await Deno.mkdir(PROGRAMS, { recursive: true });
  const path = new URL(`${Deno.pid}_${++written}.ts`, PROGRAMS);
  await Deno.writeTextFile(path, `${before}\n${code}\n${after}\nexport { ${names.join(", ")} };\n`);
  try {
    return await import(path.href);
  } finally {
    await Deno.remove(path);
  }
}
