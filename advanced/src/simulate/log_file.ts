import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import process from "node:process";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/** Maximum line length in characters; longer lines are cut. */
export const LONGEST_LINE = 65_536;

/** Bytes read at once. */
const CHUNK = 1 << 18;

/** Called with the number of bytes read from the file, before decompression. */
export type OnBytes = (bytes: number) => void;

/**
 * Reads a log line by line, in memory that does not depend on its length.
 *
 * Files that begin like gzip are decompressed, whatever their name. This uses Node's module, because the web's
 * `DecompressionStream` rejects multi-part files, such as concatenated rotated logs.
 *
 * @param path The file, `-` for standard input
 * @param onBytes Receives the number of bytes read
 * @returns Lines without line breaks, as they arrive; a line longer than {@linkcode LONGEST_LINE} is cut one character
 * after it
 * @throws Errors from reading and decompressing
 */
export async function* linesOf(path: string, onBytes: OnBytes): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of bytesOf(path, onBytes)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop()!;
    // does not buffer an endless line
    if (rest.length > LONGEST_LINE) rest = rest.slice(0, LONGEST_LINE + 1);
    if (lines.length > 0) yield lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield [rest];
}

async function* bytesOf(path: string, onBytes: OnBytes): AsyncGenerator<Uint8Array> {
  const input = path === "-" ? process.stdin : createReadStream(path, { highWaterMark: CHUNK });
  const isPacked = path !== "-" && await beginsLikeGzip(path);
  try {
    if (!isPacked) {
      for await (const bytes of input as AsyncIterable<Uint8Array>) {
        onBytes(bytes.length);
        yield bytes;
      }
      return;
    }
    const unpacked: Readable = input.pipe(createGunzip({ chunkSize: CHUNK }));
    input.on("data", (bytes: Uint8Array) => onBytes(bytes.length));
    // a pipe does not forward errors
    input.once("error", (error: Error) => unpacked.destroy(error));
    yield* unpacked as AsyncIterable<Uint8Array>;
  } finally {
    // a caller may want only the first lines
    input.destroy();
  }
}

async function beginsLikeGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

/**
 * The files' total size.
 *
 * @param paths The files
 * @returns Bytes, `null` if one has no size, such as standard input
 * @throws If one does not exist
 */
export async function sizeOf(paths: readonly string[]): Promise<number | null> {
  let sum = 0;
  for (const path of paths) {
    if (path === "-") return null;
    const file = await stat(path);
    if (!file.isFile()) return null;
    sum += file.size;
  }
  return sum;
}
