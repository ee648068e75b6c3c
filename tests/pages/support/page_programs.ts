/**
 * A page's programs, with their documented results.
 *
 * A TypeScript block with an import is a complete program, whether or not it names its file. The blocks after it show
 * its results: `sh` with lines that begin with `$ curl`, each with the server's response, and `text` with the program's
 * output. A program after `<!-- not run: why -->` is only type-checked, as are blocks without an import. `…` stands
 * for anything that varies. A block with a path in brackets, such as `html [public/index.html]`, is a file next to the
 * programs.
 */

import { TABS } from "../../../scripts/site/markdown.ts";

/** A request that a page shows, and its response. */
export interface ShownRequest {
  /** The command, from `curl` on. */
  readonly command: string;
  /** The response below it on the page. */
  readonly output: string;
}

/** A program on a page. */
export interface PageProgram {
  /** The code on the page. */
  readonly code: string;
  /** Why it is not run; `undefined` if it is. */
  readonly notRun: string | undefined;
  /** The requests that the page shows. */
  readonly requests: ShownRequest[];
  /** Its output, if the page shows it. */
  prints: string | undefined;
}

const FENCE = /(?:^<!-- not run: ([^\n]+?) -->\n\n)?^```(\w+)([^\n]*)\n(.*?)^```$/gms;

/**
 * The programs on a page.
 *
 * @param text The page
 * @throws {Error} If output does not belong to a program
 */
export function programsOf(text: string): PageProgram[] {
  const programs: PageProgram[] = [];
  let last: PageProgram | undefined;
  for (const [, notRun, language, info, code] of text.matchAll(FENCE)) {
    if (language === "ts" || language === "js") {
      last = undefined;
      if (!/^(?: \[[^\]]+\])?$/.test(info!) || !/^import /m.test(code!)) continue;
      if (language === "js" && info === "") continue;
      last = { code: code!, notRun, requests: [], prints: undefined };
      programs.push(last);
    } else if (language === "sh") {
      const requests = requestsIn(code!);
      if (requests.length === 0) continue;
      if (last === undefined) throw new Error(`no program in front of: ${code}`);
      last.requests.push(...requests);
    } else if (language === "text" && last !== undefined) {
      last.prints = code!;
    }
  }
  return programs;
}

/** A file that a page shows, in whole or in part. */
export interface PrintedFile {
  readonly path: string;
  /** The part that the page shows. */
  readonly content: string;
}

/**
 * The files that a page shows.
 *
 * @param text The page
 */
export function printedFiles(text: string): PrintedFile[] {
  const found = text.matchAll(/^```\w+ \[([^\]\n]+)\]\n(.*?)^```$/gms);
  const named = Array.from(found, ([, path, content]) => ({ path: path!, content: content! }));
  return named.filter(({ path }) => !TABS.has(path));
}

/** The requests in a command block. */
export function requestsIn(block: string): ShownRequest[] {
  // a line that ends with a backslash continues on the next line
  const parts = block.replaceAll("\\\n", "").split(/^\$ /m).slice(1);
  return parts.filter((part) => part.startsWith("curl ")).map((part) => {
    const [command = "", ...output] = part.split("\n");
    return { command, output: output.join("\n").trim() };
  });
}

/**
 * Whether output matches the output on a page.
 *
 * @param shown The output on the page, with `…` for anything that varies
 */
export function isAsShown(output: string, shown: string): boolean {
  const parts = shown.trim().split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*?")}$`).test(output.trim());
}
