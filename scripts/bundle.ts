/** Bundling with Rolldown: published code stays readable, and keeps the sources' names. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { rewrite } from "./rewrite.ts";

/** Bundle options. */
export interface Bundling {
  /** The package, with its sources and the packages to include. */
  readonly folder: URL;
  /** Entry points by output name, relative to the folder. */
  readonly entries: Readonly<Record<string, string>>;
  /** Output folder, relative to the folder. */
  readonly to: string;
  /** External packages; Node's own modules always are. */
  readonly external: readonly string[];
  /** The module format: ES modules get the extension `.js`, CommonJS modules `.cjs`. */
  readonly format: "es" | "cjs";
  /** Whether to generate source maps. */
  readonly sourceMaps: boolean;
  /** Replacement modules, by the original's path below the folder; none by default. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/**
 * Bundles entry points into modules that share common code.
 *
 * @param bundling Bundle options
 * @returns Each entry point's exports
 * @throws {Error} If an import cannot be resolved
 */
export async function bundle(
  { folder, entries, to, external, format, sourceMaps, replaced = {} }: Bundling,
): Promise<Record<string, readonly string[]>> {
  const extension = format === "es" ? "js" : "cjs";
  const bundled = await rolldown({
    cwd: fileURLToPath(folder),
    input: { ...entries },
    external: (id) => id.startsWith("node:") || external.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: format === "es" ? "neutral" : "node",
    resolve: { mainFields: ["module", "main"] },
    plugins: [{
      name: "replace modules",
      resolveId(id, importer) {
        if (importer === undefined || !id.startsWith(".")) return null;
        const { href } = new URL(id, pathToFileURL(importer));
        const path = href.startsWith(folder.href) ? replaced[href.slice(folder.href.length)] : undefined;
        return path === undefined ? null : fileURLToPath(new URL(path, folder));
      },
    }],
    // unresolved imports are only a warning otherwise; on a busy machine, plugins are slow
    onLog(_level, log) {
      if (log.code === "PLUGIN_TIMINGS") return;
      throw new Error(log.message);
    },
  });
  try {
    const { output } = await bundled.write({
      dir: fileURLToPath(new URL(to, folder)),
      format,
      exports: "named",
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `chunk-[hash].${extension}`,
      comments: { jsdoc: false },
      // a variable that may be uninitialized is checked on every access
      topLevelVar: true,
      // exports between the package's own modules also keep the sources' names
      minifyInternalExports: false,
      sourcemap: sourceMaps,
    });
    // any other character makes V8 store the whole module with two bytes per character
    for (const { type, fileName } of output) {
      if (type !== "chunk") continue;
      await rewrite(
        new URL(`${to}${fileName}`, folder),
        (code) => inAscii(format === "cjs" ? withoutRequire(code) : code),
      );
    }
    const made = output.flatMap((one) => one.type === "chunk" && one.isEntry ? [one] : []);
    return Object.fromEntries(made.map(({ name, exports }) => [name, exports]));
  } finally {
    await bundled.close();
  }
}

/**
 * Loads Node's modules without `require`: esbuild converts CommonJS to ES modules, and replaces `require` with a
 * function that throws.
 */
function withoutRequire(code: string): string {
  return code.replaceAll(/\brequire\(("node:[^"]+")\)/g, "process.getBuiltinModule($1)");
}

/** Escapes other characters, which occur only in strings and expressions: the bundler drops comments. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\p{ASCII}]/gu, (character) => {
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
