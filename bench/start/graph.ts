import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);

/** Modules and packages that an entry point loads before its first line runs. */
export interface Graph {
  /** Modules in this repository, with their sizes in bytes, the largest first. */
  readonly own: readonly { readonly path: string; readonly bytes: number }[];
  /** Packages they import. */
  readonly packages: readonly string[];
}

interface Info {
  readonly roots: readonly string[];
  readonly redirects?: Readonly<Record<string, string>>;
  readonly modules: readonly {
    readonly specifier: string;
    readonly size?: number;
    readonly dependencies?: readonly { readonly isDynamic?: boolean; readonly code?: { readonly specifier: string } }[];
  }[];
}

/**
 * Returns a module's static imports, without type imports, which are erased, and without dynamic imports, which are
 * loaded on demand.
 *
 * @param entry Its path below the root
 * @throws {Error} If Deno cannot read it
 */
export async function importGraph(entry: string): Promise<Graph> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", fileURLToPath(new URL(entry, ROOT))],
    cwd: fileURLToPath(ROOT),
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { roots, modules, redirects = {} } = JSON.parse(new TextDecoder().decode(stdout)) as Info;
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const reached = new Set<string>();
  const open = [...roots];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const specifier = redirects[at] ?? at;
    if (reached.has(specifier)) continue;
    reached.add(specifier);
    for (const { isDynamic, code } of known.get(specifier)?.dependencies ?? []) {
      if (!isDynamic && code !== undefined) open.push(code.specifier);
    }
  }
  const own = [...reached].filter((one) => one.startsWith("file:"))
    .map((one) => ({ path: one.slice(ROOT.href.length), bytes: known.get(one)?.size ?? 0 }))
    .sort((one, other) => other.bytes - one.bytes);
  const packages = [...reached].filter((one) => !one.startsWith("file:"))
    .map((one) => one.replace(/^npm:\/?(@?[^@]+)@.*$/, "$1"));
  return { own, packages: [...new Set(packages)].sort() };
}
