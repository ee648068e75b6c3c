/** What `require` returns for a module of CommonJS that is one value as a whole. */
import { rewrite } from "./rewrite.ts";

/** The name under which sources export that value. */
export const WHOLE = "module.exports";

/**
 * Makes it what `require` returns.
 *
 * @param file The bundled module
 */
export async function exportWhole(file: URL): Promise<void> {
  // in front of the address of the source map, which has to be last
  await rewrite(file, (code) =>
    code.replace(
      /(\n\/\/# sourceMappingURL=.*\s*)?$/,
      (map) => `\nmodule.exports = exports["${WHOLE}"];${map}`,
    ));
}
