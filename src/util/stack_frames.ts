/** Frames with a location, from V8 and other engines. */
const FRAME = /^\s*(?:at |[^\s@]*@).*:\d+:\d+\)?$/;
/** Frames in the runtime's own code. */
const RUNTIMES = /[(@]?(?:\b(?:node|ext|native):|\[native code\]|<anonymous>\)|native\))/;

/**
 * The folder from which the framework was loaded, as it appears in frames: the package's or the sources' folder.
 *
 * @param stack A stack whose first frame is in the framework
 * @param source This frame's file among the sources
 * @returns The folder; `null` if it has no folder of its own, because it is bundled with the program
 */
export function loadedFrom(stack: string, source: string): string | null {
  const frame = stack.replaceAll("\\", "/").split("\n").find((line) => FRAME.test(line)) ?? "";
  const file = /((?:[a-z]+:\/\/|[A-Za-z]:\/|\/)[^()]*):\d+:\d+\)?$/.exec(frame)?.[1] ?? "";
  if (file.endsWith(`/src/${source}`)) return file.slice(0, -source.length);
  return /^.*(?:\/node_modules\/(?:@[^/]+\/)?[^/]+\/|\/@sluice\/sluice\/)/.exec(file)?.[0] ?? null;
}

/** A frame's position in a source file. */
export interface SourcePosition {
  /** Absolute path of the file. */
  readonly path: string;
  /** Line, counted from 1. */
  readonly line: number;
  /** Column, counted from 1. */
  readonly column: number;
}

/** A V8 or Bun (JavaScriptCore) frame with its location; a function name may precede it. */
const NAMED_FRAME = /^\s*at (?:.*? \()?(?:async )?(.+?):(\d+):(\d+)\)?$/;
/** Package files: in a Node package folder or Deno's cache. */
const IN_PACKAGE = /\/node_modules\/|\/npm\/[^/]+\/(?:@[^/]+\/)?[^/]+\/\d+\.\d+\.\d/;
/** Only these are shown: a stack may contain text from other sources. */
const IS_SOURCE = /\.[cm]?[jt]sx?$/;

/**
 * Finds the program's own first frame, outside packages, the framework and the runtime.
 *
 * @param frames A stack's frames, without the error's message
 * @param folder The framework's folder, `null` if it has no folder of its own
 */
export function programFrame(frames: string, folder: string | null): SourcePosition | null {
  for (const frame of frames.split("\n")) {
    if (folder !== null && isWithin(folder, frame)) continue;
    const [, file = "", line, column] = NAMED_FRAME.exec(frame) ?? [];
    const path = pathOf(file);
    const isShown = IS_SOURCE.test(path) && !IN_PACKAGE.test(path.replaceAll("\\", "/"));
    if (isShown) return { path, line: Number(line), column: Number(column) };
  }
  return null;
}

// "" if it is not a file on this machine, such as a module from the network
function pathOf(file: string): string {
  // bundlers' dev servers add queries
  const bare = file.replace(/\?.*$/, "");
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(bare)) return bare;
  if (!bare.startsWith("file:///")) return "";
  const path = bare.slice("file://".length).replace(/^\/(?=[A-Za-z]:\/)/, "");
  try {
    return decodeURIComponent(path);
  } catch {
    // not a URL that a runtime created
    return "";
  }
}

/**
 * Replaces runs of frames from a folder with a line that counts them. The frame that threw stays, even if it is the
 * runtime's: a run begins with a frame from the folder.
 *
 * @param stack The stack
 * @param folder The folder, with slashes
 * @param whose Name of the folder's owner
 */
export function foldFrames(stack: string, folder: string, whose: string): string {
  const lines: string[] = [];
  let count = 0;
  const close = (): void => {
    if (count > 0) lines.push(`    … ${count} ${count === 1 ? "frame" : "frames"} of ${whose}`);
    count = 0;
  };
  for (const line of stack.split("\n")) {
    if (isWithin(folder, line) || (count > 0 && RUNTIMES.test(line))) count++;
    else {
      close();
      lines.push(line);
    }
  }
  close();
  return lines.join("\n");
}

function isWithin(folder: string, line: string): boolean {
  return FRAME.test(line) && line.replaceAll("\\", "/").includes(folder);
}
