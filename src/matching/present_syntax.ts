/** Express 4 syntax that Express 5 spells differently. */
const RESPELT = /(\/?):(\w+)([*+?])|:(\w+)\((?:\.?\*|\.\+)\)|\*(?!\w)/g;

/**
 * Translates an Express 4 path to Express 5's syntax.
 *
 * @param path The path
 * @returns `null` if it cannot be expressed there
 */
export function inPresentSyntax(path: string): string | null {
  let wildcards = 0;
  const rest = () => `*rest${wildcards++ || ""}`;
  const written = path.replace(RESPELT, (_all, slash, name, suffix, spanning) => {
    if (suffix === "?") return `{${slash}:${name}}`;
    if (suffix === "*") return `${slash}:${name}{/${rest()}}`;
    if (suffix === "+") return `${slash}*${name}`;
    return spanning === undefined ? `{${rest()}}` : `*${spanning}`;
  });
  return /[()[\]+?!|]/.test(written) ? null : written;
}
