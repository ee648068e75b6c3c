/** Frames that name a place: those of V8, and those of other engines. */
const FRAME = /^\s*(?:at |[^\s@]*@).*:\d+:\d+\)?$/;
/** Frames of the runtime's own code. */
const RUNTIMES = /[(@]?(?:\b(?:node|ext|native):|\[native code\]|<anonymous>\)|native\))/;

/**
 * The folder that the framework was loaded from, as frames have it: that of the package, or of the sources.
 *
 * @param stack A stack whose first frame is in the framework
 * @param source The file of this frame among the sources
 * @returns The folder; `null` if there is none of its own, because it is in a bundle with the program
 */
export function loadedFrom(stack: string, source: string): string | null {
  const frame = stack.replaceAll("\\", "/").split("\n").find((line) => FRAME.test(line)) ?? "";
  const file = /((?:[a-z]+:\/\/|[A-Za-z]:\/|\/)[^()]*):\d+:\d+\)?$/.exec(frame)?.[1] ?? "";
  if (file.endsWith(`/src/${source}`)) return file.slice(0, -source.length);
  return /^.*(?:\/node_modules\/(?:@[^/]+\/)?[^/]+\/|\/@sluice\/sluice\/)/.exec(file)?.[0] ?? null;
}

/**
 * Replaces runs of frames that are in a folder by a line that counts them. The frame that threw stays, even if it is
 * the runtime's: a run begins with a frame of the folder.
 *
 * @param stack The stack
 * @param folder The folder, with slashes
 * @param whose Whose folder it is
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
