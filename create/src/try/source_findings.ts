/** Finds code in the program that uses known differences from Express. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** A line with a known difference. */
export interface Finding {
  /** The file, relative to the program's folder. */
  readonly file: string;
  /** The line number, starting at 1. */
  readonly line: number;
  /** The difference. */
  readonly what: string;
  /** The code or setting to use instead. */
  readonly instead: string;
}

interface Rule {
  readonly pattern: RegExp;
  readonly what: string;
  readonly instead: string;
}

/** All of these are on the page about differences from Express. */
const RULES: readonly Rule[] = [
  {
    pattern:
      /["'`]express\/lib\/(?!express["'`]|application["'`]|request["'`]|response["'`]|router\b|view["'`]|utils["'`])/,
    what: "this file is not part of Express's public API and does not exist here",
    instead: "use what express exports",
  },
  {
    pattern: /\.(?:status|sendStatus|writeHead)\(\s*(?:0|1\d\d|[6-9]\d\d)\b|statusCode\s*=\s*(?:0|1\d\d|[6-9]\d\d)\b/,
    what: "a response has a status from 200 to 599; only Node's own server sends others",
    instead: "a status in that range",
  },
  {
    pattern: /\.socket\.(?:write|pipe|end)\(|\.connection\.(?:write|pipe|end)\(/,
    what: "on runtimes other than Node, a request has no Node socket to write to",
    instead: "res.write, or app.ws for another protocol",
  },
  {
    pattern:
      /(?:IncomingMessage|ServerResponse|OutgoingMessage)\.prototype\.\w+\s*=|Object\.setPrototypeOf\(\s*re[qs]\b/,
    what: "methods added to Node's classes are found, but req and res are objects of another class",
    instead: "add them to express.request and express.response, or in a middleware",
  },
  {
    pattern: /["'`][^"'`]*%(?:2f|5c|2e|[3467][0-9a-f])[^"'`]*\.(?:txt|html?|js|css|png|jpe?g|svg|json)\b/i,
    what: "static serves no file for a path in which a letter, a digit, a dot or a slash is percent-encoded",
    instead: "the path as browsers send it",
  },
];

const SOURCES = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const ELSEWHERE: ReadonlySet<string> = new Set(["node_modules", "dist", "build", "coverage", "public", "vendor"]);

/** Larger files are bundles, not edited sources. */
const MOST_BYTES = 500_000;

/**
 * Searches a program's sources.
 *
 * @param folder Its folder; packages and build output are skipped
 * @returns The lines, by file
 */
export async function sourceFindings(folder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const look = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      const inside = join(path, entry.name);
      if (entry.isDirectory() && !ELSEWHERE.has(entry.name) && !entry.name.startsWith(".")) await look(inside);
      if (entry.isFile() && SOURCES.test(entry.name)) findings.push(...await findingsIn(folder, inside));
    }
  };
  await look(folder);
  return findings;
}

async function findingsIn(folder: string, path: string): Promise<Finding[]> {
  const text = await readFile(path, "utf8");
  if (text.length > MOST_BYTES) return [];
  const file = relative(folder, path);
  return text.split(/\r?\n/).flatMap((line, index) =>
    RULES
      .filter(({ pattern }) => pattern.test(line) && !/^\s*(?:\/\/|\*)/.test(line))
      .map(({ what, instead }) => ({ file, line: index + 1, what, instead }))
  );
}
