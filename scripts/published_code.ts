import { minify } from "terser";

/**
 * What is published of a bundled module: it loads faster, and its stack traces name what the sources name.
 *
 * @param code As the bundler wrote it
 * @throws {Error} If it is not as expected
 */
export function publishedCode(code: string): Promise<string> {
  return shorten(restoreNames(delayTypes(namePackages(code))));
}

/** Replaces the path of a package's module, which the bundler writes above its code, by the package and its version. */
function namePackages(code: string): string {
  return code.replace(/^\/\/ \S*\/npm\/[^/\s]+\/((?:@[^/\s]+\/)?[^/\s]+)\/(\d[^/\s]*)\//gm, "// npm:$1@$2/");
}

/**
 * Delays mrmime's table of four hundred types until one is looked up, which few programs do: at every start it would
 * take as much memory as two hundred functions.
 *
 * @throws {Error} If mrmime is there, but not as expected
 */
function delayTypes(code: string): string {
  if (!code.includes("// npm:mrmime@")) return code;
  const delayed = code.replace(
    /^var mimes = (\{[^}]*\});\nfunction lookup\(extn\) \{$/m,
    "var mimes;\nfunction lookup(extn) {\n  mimes ??= $1;",
  );
  if (delayed === code) {
    throw new Error(
      "mrmime writes its table of types in another way now; delayTypes in scripts/published_code.ts must follow",
    );
  }
  return delayed;
}

/** Undoes `var App = class _App`, as the bundler writes classes that refer to themselves: users see their names. */
function restoreNames(code: string): string {
  const names = new Set([...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name));
  return code.replace(/\b_(\w+)/g, (word, name) => names.has(name) ? name : word);
}

/**
 * Removes indentation and documentation, and shortens the names of local variables and private members. Functions,
 * classes and methods keep their names, and most statements a line of their own, so that a stack trace can be read.
 */
async function shorten(code: string): Promise<string> {
  const { code: shortened } = await minify(code, {
    compress: false,
    mangle: { keep_classnames: true, keep_fnames: true },
    format: {
      // V8 stores other text with two bytes for each character, which takes half again as long to load
      ascii_only: true,
      // which module the code after it is from, and what bundlers must leave alone; licenses are in a file of their own
      comments: /^ (?:npm:|\S+\.[jt]s$|webpackIgnore|@vite-ignore)/,
      // for bundlers: calls that may be left out
      preserve_annotations: true,
      semicolons: false,
      // V8 compiles functions in parentheses at once, whether they are called or not
      wrap_func_args: false,
    },
  });
  return `${shortened}\n`;
}
