import { Buffer } from "node:buffer";
import * as fs from "node:fs";
import { promisify } from "node:util";
import type { FileStat, FileSystem, WholeFile } from "../exchange/file_system.ts";
import { builtinFiles, fileStat } from "../platform/shared/builtin_files.ts";

/** Files up to this many bytes are read at once: streaming takes twice the time and memory. */
const READ_BYTES = 256 * 1024;

const open = promisify(fs.open);
const read = promisify(fs.read);

/** Node's file system. */
export const nodeFiles: FileSystem = {
  ...builtinFiles(() => fs, () => process.cwd()),
  openWhole: async (path) => new OpenedFile(await open(path, "r")),
  opensWhole: (bytes) => bytes <= READ_BYTES,
  wholeBytes: READ_BYTES,
};

/**
 * An open file that is read at once. Only opening and reading go to another thread
 * (docs/decisions/0087-small-files-on-node.md).
 */
class OpenedFile implements WholeFile {
  #descriptor: number | null;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  stat(): FileStat {
    return fileStat(fs.fstatSync(this.#descriptor!));
  }

  async take(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const content = Buffer.allocUnsafeSlow(bytes) as Buffer<ArrayBuffer>;
    try {
      let length = 0;
      // ends early if the file has become shorter
      for (let got = -1; got !== 0 && length < bytes; length += got) {
        ({ bytesRead: got } = await read(this.#descriptor!, content, length, bytes - length, length));
      }
      return content.subarray(0, length);
    } finally {
      this.close();
    }
  }

  close(): void {
    if (this.#descriptor === null) return;
    fs.closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}
