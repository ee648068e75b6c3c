/** The value that `require` returns for a CommonJS module with a single value. */
import { rewrite } from "./rewrite.ts";

/** The name under which sources export the value. */
export const WHOLE = "module.exports";

/**
 * Makes `require` return that value.
 *
 * @param file The bundled module
 */
export async function exportWhole(file: URL): Promise<void> {
  // before the source map comment, which must come last
  await rewrite(file, (code) =>
    code.replace(
      /(\n\/\/# sourceMappingURL=.*\s*)?$/,
      (map) => `\nmodule.exports = exports["${WHOLE}"];${map}`,
    ));
}
