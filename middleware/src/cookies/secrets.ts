/** Minimum length of a secret: 32 characters of base64 or hexadecimal hold at least 128 random bits. */
const FEWEST_CHARACTERS = 32;

/**
 * Checks a middleware's secrets. Errors never include a secret.
 *
 * @param caller The caller's name, for error messages
 * @param option The option's name
 * @param value A secret, or several: the first makes new cookies, and all of them read cookies
 * @returns The secrets
 * @throws {TypeError} If it is neither a string nor an array of strings
 * @throws {RangeError} If a secret is shorter than 32 characters
 */
export function checkSecrets(caller: string, option: string, value: unknown): string[] {
  const secrets = Array.isArray(value) ? value : [value];
  if (secrets.length === 0) {
    throw new TypeError(`${caller}: option ${option} is an empty list; pass at least one secret`);
  }
  secrets.forEach((secret: unknown, i) => {
    const named = Array.isArray(value) ? `${option}[${i}]` : option;
    if (typeof secret !== "string") {
      throw new TypeError(
        `${caller}: option ${named} must be a string, not ${secret === null ? "null" : typeof secret}`,
      );
    }
    if (secret.length >= FEWEST_CHARACTERS) return;
    throw new RangeError(
      `${caller}: option ${named} has ${secret.length} characters; ${FEWEST_CHARACTERS} or more are needed, such as ` +
        "those of openssl rand -base64 32",
    );
  });
  return secrets;
}
