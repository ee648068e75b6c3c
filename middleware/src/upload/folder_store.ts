import { builtinModule } from "@sluice/shared";
import type { FileContent, FileStore } from "./uploaded_file.ts";

/** The part of `node:fs` used here. */
interface FileModule {
  mkdirSync(path: string, options: { recursive: true }): unknown;
  readonly promises: {
    writeFile(path: string, bytes: AsyncIterable<Uint8Array>, options: { flag: string; mode: number }): Promise<void>;
    rm(path: string, options: { force: true }): Promise<void>;
  };
}

/** Readable only by its owner, and never overwrites an existing file. */
const NEW_FILE = { flag: "wx", mode: 0o600 };

/**
 * Writes files into a folder, under random names.
 *
 * @param folder The folder; created if it does not exist
 * @param keeps Whether files remain there after the response
 * @throws {Error} If the runtime has no file system, or the folder cannot be created
 */
export function folderStore(folder: string, keeps: boolean): FileStore {
  const fs = builtinModule<FileModule>("node:fs");
  if (fs === undefined) {
    throw new Error(
      "upload: option dest is a folder, and this runtime has no files: leave it out for memory, or use storage",
    );
  }
  fs.mkdirSync(folder, { recursive: true });
  const { writeFile, rm } = fs.promises;
  return {
    isTemporary: !keeps,
    async take(_claims, content) {
      const filename = crypto.randomUUID();
      const path = `${folder}/${filename}`;
      try {
        await writeFile(path, chunksOf(content), NEW_FILE);
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      return { destination: folder, filename, path };
    },
    // the program may have moved it
    remove: (file) => rm(file.path!, { force: true }),
  };
}

async function* chunksOf(content: FileContent): AsyncGenerator<Uint8Array> {
  for (let chunk; (chunk = await content.read()) !== undefined;) yield chunk;
}
