import { builtinModule } from "@sluice/limiting/core";
import type { FileStore } from "./uploaded_file.ts";

/** The used part of a file of `node:fs`. */
interface OpenFile {
  write(bytes: Uint8Array, start: number): Promise<{ bytesWritten: number }>;
  close(): Promise<void>;
}

/** The used part of `node:fs`. */
interface FileModule {
  mkdirSync(path: string, options: { recursive: true }): unknown;
  readonly promises: {
    open(path: string, flags: string, mode: number): Promise<OpenFile>;
    rm(path: string, options: { force: true }): Promise<void>;
  };
}

/** For the owner alone. */
const MODE = 0o600;

/**
 * Writes files into a folder, under random names.
 *
 * @param folder The folder; it is made unless it exists
 * @throws {Error} If the runtime has no files, or the folder cannot be made
 */
export function folderStore(folder: string): FileStore {
  const fs = builtinModule<FileModule>("node:fs");
  if (fs === undefined) {
    throw new Error(
      'upload: option to is a folder, and this runtime has no files: write to: "memory", or a function that sends ' +
        "each file to where it is kept",
    );
  }
  fs.mkdirSync(folder, { recursive: true });
  const { open, rm } = fs.promises;
  return {
    async take(_claims, content) {
      const filename = crypto.randomUUID();
      const path = `${folder.replace(/[/\\]+$/, "")}/${filename}`;
      const file = await open(path, "wx", MODE);
      try {
        try {
          for (let chunk; (chunk = await content.read()) !== undefined;) await writeAll(file, chunk);
        } finally {
          await file.close();
        }
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      return { destination: folder, filename, path };
    },
    // a program may have moved it
    remove: (file) => rm(file.path!, { force: true }),
  };
}

async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}
