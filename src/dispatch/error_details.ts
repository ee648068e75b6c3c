import { describe, errorText } from "../http/error_text.ts";

/** Errors of one page: those that an error was caused by, or collects, may go on for ever. */
const MOST = 10;

/** Characters of a cause that is no error: it may be the whole answer of another server. */
const SHOWN = 1000;

/** Frames that name a place: those of V8, and those of other engines. */
const FRAME = /^\s*(?:at |[^\s@]*@).*:\d+:\d+\)?$/;
/** Frames of the runtime's own code. */
const RUNTIMES = /[(@]?(?:\b(?:node|ext|native):|\[native code\]|<anonymous>\)|native\))/;

/**
 * What a developer needs of an error: its stack, and those of the errors it was caused by or collects. Frames of the
 * framework are counted in one line, so that those of the program can be found.
 *
 * @param error The error
 */
export function errorDetails(error: Error): string {
  const texts: string[] = [];
  const queue: { readonly label: string; readonly of: unknown }[] = [{ label: "", of: error }];
  const seen = new Set<unknown>();
  for (const { label, of } of queue) {
    if (seen.has(of)) continue;
    seen.add(of);
    if (seen.size > MOST) {
      texts.push("… and further errors");
      break;
    }
    texts.push(label + (of instanceof Error ? folded(errorText(of)) : shown(of)));
    if (of instanceof Error) queue.push(...inside(of));
  }
  return texts.join("\n");
}

function inside(error: Error): { label: string; of: unknown }[] {
  const { cause } = error;
  const errors = error instanceof AggregateError ? error.errors : [];
  const all = errors.map((of: unknown, i) => ({ label: `Error ${i + 1} of ${errors.length}: `, of }));
  return cause === undefined || cause === null ? all : [{ label: "Caused by: ", of: cause }, ...all];
}

function shown(cause: unknown): string {
  try {
    const text = typeof cause === "string" ? cause : JSON.stringify(cause) ?? describe(cause);
    return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  } catch {
    // it refers to itself
    return describe(cause);
  }
}

// the frame that threw stays, even if it is the runtime's: a run of frames begins with one of the framework
function folded(stack: string): string {
  const folder = ownFolder();
  if (folder === null) return stack;
  const lines: string[] = [];
  let count = 0;
  const close = (): void => {
    if (count > 0) lines.push(`    … ${count} ${count === 1 ? "frame" : "frames"} of Sluice`);
    count = 0;
  };
  for (const line of stack.split("\n")) {
    if (isOwn(line, folder) || (count > 0 && RUNTIMES.test(line))) count++;
    else {
      close();
      lines.push(line);
    }
  }
  close();
  return lines.join("\n");
}

function isOwn(line: string, folder: string): boolean {
  return FRAME.test(line) && line.replaceAll("\\", "/").includes(folder);
}

let known: string | null | undefined;

function ownFolder(): string | null {
  return known === undefined ? known = loadedFrom(new Error().stack ?? "") : known;
}

/**
 * The folder that this code was loaded from, as frames have it: that of the package, or of the sources.
 *
 * @param stack A stack whose first frame is in this file, or in what it was built into
 * @returns The folder; `null` if there is none of its own, because it is in a bundle with the program
 */
export function loadedFrom(stack: string): string | null {
  const frame = stack.replaceAll("\\", "/").split("\n").find((line) => FRAME.test(line)) ?? "";
  const file = /((?:[a-z]+:\/\/|[A-Za-z]:\/|\/)[^()]*):\d+:\d+\)?$/.exec(frame)?.[1] ?? "";
  const own = /^.*(?:\/node_modules\/(?:@[^/]+\/)?[^/]+\/|\/@sluice\/sluice\/|\/src\/(?=dispatch\/error_details\.ts$))/;
  return own.exec(file)?.[0] ?? null;
}
