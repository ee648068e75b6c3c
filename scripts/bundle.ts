/** Bundling, with Rolldown: what is published can be read, and has the names of the sources. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { rewrite } from "./rewrite.ts";

/** What to bundle, and how. */
export interface Bundling {
  /** The package, with its sources and the packages that become part of it. */
  readonly folder: URL;
  /** Entry points by the names of what is made of them, relative to the folder. */
  readonly entries: Readonly<Record<string, string>>;
  /** Where to, relative to the folder. */
  readonly to: string;
  /** Packages that stay imports; Node's own modules do anyway. */
  readonly external: readonly string[];
  /** The kind of modules: ES modules get the extension `.js`, those of CommonJS `.cjs`. */
  readonly format: "es" | "cjs";
  /** Whether the bundles get source maps. */
  readonly sourceMaps: boolean;
  /** Modules to be bundled in place of others, by the paths of those below the folder; none by default. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/**
 * Bundles entry points into modules that share what several of them need.
 *
 * @param bundling What and how
 * @returns What each entry point exports
 * @throws {Error} If anything cannot be resolved
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
    // what cannot be resolved is only a warning otherwise; on a busy machine, plugins take long
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
      // a variable that may not be initialized yet is checked whenever it is used
      topLevelVar: true,
      // what the modules of the package export to one another is named as in the sources, too
      minifyInternalExports: false,
      sourcemap: sourceMaps,
    });
    // any other character makes V8 store the whole module in two bytes a character
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
 * Asks Node for its own modules, not `require`: esbuild makes ES modules of those of CommonJS, and leaves a function in
 * place of `require` that throws.
 */
function withoutRequire(code: string): string {
  return code.replaceAll(/\brequire\(("node:[^"]+")\)/g, "process.getBuiltinModule($1)");
}

/** Escapes other characters, which are only in texts and expressions: the bundler leaves comments out. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\p{ASCII}]/gu, (character) => {
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
