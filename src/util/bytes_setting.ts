import { describe } from "./error_text.ts";
import { parseBytes } from "./units.ts";

/**
 * Parses a setting that is a number of bytes.
 *
 * @param name Name of the setting, for error messages
 * @param value A number, or a string such as `"2mb"`
 * @throws {TypeError} If it is neither
 */
export function bytesOfSetting(name: string, value: unknown): number {
  try {
    const bytes = parseBytes(value as string);
    if (bytes >= 0) return bytes;
  } catch {
    // the error below names the setting
  }
  throw new TypeError(
    `app.set(${JSON.stringify(name)}, …) expects bytes, a string such as "2mb", or Infinity for no limit, not ${
      describe(value)
    }`,
  );
}
