/** The forms of Express 4 that Express 5 has another spelling for. */
const RESPELT = /(\/?):(\w+)([*+?])|:(\w+)\((?:\.?\*|\.\+)\)|\*(?!\w)/g;

/**
 * A path of Express 4 in the syntax of Express 5.
 *
 * @param path The path
 * @returns `null` if it cannot be written there
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
