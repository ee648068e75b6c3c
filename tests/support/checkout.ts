/** Copies of this repository with only the files that packages are built from. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { builtFrom } from "../../scripts/built_from.ts";

const ROOT = new URL("../../", import.meta.url);

/** A copy, removed when the scope ends. */
export interface Checkout extends AsyncDisposable {
  readonly folder: URL;
  /** Path of the folder. */
  readonly path: string;
}

/** Copies only the files that packages are built from. */
export async function copySources(): Promise<Checkout> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "sluice-sources-" }));
  const folder = pathToFileURL(`${path}/`);
  for (const file of await builtFrom(ROOT)) {
    const copy = new URL(file, folder);
    await Deno.mkdir(new URL("./", copy), { recursive: true });
    await Deno.copyFile(new URL(file, ROOT), copy);
  }
  return {
    folder,
    path: fileURLToPath(folder),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
