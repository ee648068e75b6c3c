import { allImports, TESTS_CONFIG, TESTS_LOCK } from "./tests_config.ts";

/** The standard library's source on this machine: JSR, or the adapter in tests/support. */
export interface StdFlags {
  /** Whether it comes from JSR. */
  readonly real: boolean;
  /** Flags for `deno check` and `deno test`. */
  readonly flags: string[];
}

/**
 * Uses the real standard library if JSR responds within 1.5 s, otherwise an adapter over `node:assert`.
 *
 * @returns The flags that make `@std/assert` resolve either way
 */
export async function stdFlags(): Promise<StdFlags> {
  const real = await cached(1500, "jsr:@std/assert@^1/assertion-error") &&
    await cached(30_000, "jsr:@std/assert@^1", "jsr:@std/http@^1");
  await Deno.mkdir(".cache", { recursive: true });
  const config = `--config=${TESTS_CONFIG}`;
  if (real) {
    // Deno updates a copy, so that the committed lock file does not change
    await Deno.copyFile(TESTS_LOCK, ".cache/online.lock");
    return { real, flags: [config, "--lock=.cache/online.lock"] };
  }
  await Deno.writeTextFile(".cache/offline.json", JSON.stringify({ imports: await offlineImports() }));
  return { real, flags: [config, "--frozen", "--import-map=.cache/offline.json"] };
}

/** Returns all of this repository's imports as an import map without JSR: the adapter replaces the standard library. */
export async function offlineImports(): Promise<Record<string, string>> {
  const imports = await allImports();
  for (const [name, target] of Object.entries(imports)) {
    // in deno.json, "ejs" also covers subpaths such as "ejs/lib"; an import map needs them listed
    if (/^(npm|jsr):/.test(target)) imports[`${name}/`] = `${target.replace(":", ":/")}/`;
  }
  const support = (file: string) => new URL(`../tests/support/${file}`, import.meta.url).href;
  imports["@std/assert"] = support("std_assert.ts");
  imports["@std/http"] = support("std_http.ts");
  return imports;
}

async function cached(ms: number, ...what: string[]): Promise<boolean> {
  try {
    const command = new Deno.Command(Deno.execPath(), {
      args: ["cache", "--no-lock", "--no-config", "-q", ...what],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      signal: AbortSignal.timeout(ms),
    });
    return (await command.spawn().status).success;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
