const ROOT = new URL("../../../", import.meta.url);

/**
 * Versions of the npm packages in `deno.lock`.
 *
 * @returns Versions by the names that `deno.json` imports
 */
export async function lockedVersions(): Promise<Record<string, string>> {
  const { imports } = await readJson<{ imports: Record<string, string> }>("deno.json");
  const { specifiers } = await readJson<{ specifiers: Record<string, string> }>("deno.lock");
  const versions: Record<string, string> = {};
  for (const [specifier, resolved] of Object.entries(specifiers)) {
    const name = specifier.match(/^npm:((?:@[^/]+\/)?[^@]+)@/)?.[1];
    // behind an underscore stand the peers that were chosen
    if (name !== undefined && name in imports) versions[name] = resolved.split("_")[0]!;
  }
  return versions;
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(new URL(file, ROOT)));
}
