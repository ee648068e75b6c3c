import { describe, errorText } from "../util/error_text.ts";
import { foldFrames, loadedFrom } from "../util/stack_frames.ts";

/** Maximum number of errors on one page, because cause chains and collections may be endless. */
const MOST = 10;

/** Characters shown from a cause that is not an error: it may be a different server's whole response. */
const SHOWN = 1000;

/**
 * Formats an error for a developer: its stack, and those of its causes and collected errors. Consecutive framework
 * frames are collapsed into one line, so the program's stand out.
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
    texts.push(label + (of instanceof Error ? folded(errorText(of)) : shownValue(of)));
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

/**
 * Formats a thrown value that is not an error.
 *
 * @param thrown The value
 */
export function shownValue(thrown: unknown): string {
  try {
    const text = typeof thrown === "string" ? thrown : JSON.stringify(thrown) ?? describe(thrown);
    return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  } catch {
    // the value refers to itself
    return describe(thrown);
  }
}

let ownFolder: string | null | undefined;

/** Returns the directory that the framework was loaded from; `null` in a bundle. */
export function frameworkFolder(): string | null {
  if (ownFolder === undefined) ownFolder = loadedFrom(String(new Error().stack), "dispatch/error_details.ts");
  return ownFolder;
}

function folded(stack: string): string {
  const folder = frameworkFolder();
  return folder === null ? stack : foldFrames(stack, folder, "Sluice");
}
