import { describe, errorText } from "../util/error_text.ts";
import { foldFrames, loadedFrom } from "../util/stack_frames.ts";

/** Errors of one page: those that an error was caused by, or collects, may go on for ever. */
const MOST = 10;

/** Characters of a cause that is no error: it may be the whole response of another server. */
const SHOWN = 1000;

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
 * The text of what was thrown and is no error.
 *
 * @param thrown What was thrown
 */
export function shownValue(thrown: unknown): string {
  try {
    const text = typeof thrown === "string" ? thrown : JSON.stringify(thrown) ?? describe(thrown);
    return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  } catch {
    // it refers to itself
    return describe(thrown);
  }
}

let ownFolder: string | null | undefined;

/** The folder that the framework was loaded from; `null` in a bundle. */
export function frameworkFolder(): string | null {
  if (ownFolder === undefined) ownFolder = loadedFrom(new Error().stack ?? "", "dispatch/error_details.ts");
  return ownFolder;
}

function folded(stack: string): string {
  const folder = frameworkFolder();
  return folder === null ? stack : foldFrames(stack, folder, "Sluice");
}
