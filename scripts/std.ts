/** How this machine gets the standard library: from JSR, or from the adapter in tests/support. */
export interface StdFlags {
  /** Whether it is the real one. */
  readonly real: boolean;
  /** Flags for `deno check` and `deno test`. */
  readonly flags: string[];
}

/**
 * Takes the real standard library when JSR answers within 1.5 s, an adapter over `node:assert` when it does not.
 *
 * @returns The flags that make `@std/assert` resolve either way
 */
export async function stdFlags(): Promise<StdFlags> {
  const real = await cached(1500, "jsr:@std/assert@^1/assertion-error") &&
    await cached(30_000, "jsr:@std/assert@^1", "jsr:@std/http@^1");
  await Deno.mkdir(".cache", { recursive: true });
  if (real) {
    // what is learned online goes to a copy, so that the committed lock stays as it is
    await Deno.copyFile("deno.lock", ".cache/online.lock");
    return { real, flags: ["--lock=.cache/online.lock"] };
  }
  const { imports } = JSON.parse(await Deno.readTextFile("deno.json")) as { imports: Record<string, string> };
  for (const [name, target] of Object.entries(imports)) {
    // deno.json lets "ejs" stand for "ejs/lib" too, an import map has to be told
    if (/^(npm|jsr):/.test(target)) imports[`${name}/`] = `${target.replace(":", ":/")}/`;
  }
  const support = (file: string) => new URL(`../tests/support/${file}`, import.meta.url).href;
  imports["@std/assert"] = support("std_assert.ts");
  imports["@std/http"] = support("std_http.ts");
  await Deno.writeTextFile(".cache/offline.json", JSON.stringify({ imports }));
  return { real, flags: ["--frozen", "--import-map=.cache/offline.json"] };
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
