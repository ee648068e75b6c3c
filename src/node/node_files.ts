import { type Stats, statSync } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import type { FileStat, FileSystem } from "../http/file_system.ts";

/** Bytes read at a time. */
const CHUNK = 64 * 1024;

/** Node's files. */
export const nodeFiles: FileSystem = {
  stat: async (path) => fileStat(await stat(path)),
  statSync: (path) => fileStat(statSync(path)),
  open: openFile,
  readText: (path) => readFile(path, "utf8"),
  workingDirectory: () => process.cwd(),
};

function fileStat(info: Stats): FileStat {
  return { isFile: info.isFile(), isDirectory: info.isDirectory(), size: info.size, mtimeMs: info.mtime.getTime() };
}

async function openFile(path: string, start: number, end: number): Promise<ReadableStream<Uint8Array>> {
  const file = await open(path);
  let at = start;
  return new ReadableStream({
    async pull(controller) {
      const chunk = new Uint8Array(Math.min(end - at + 1, CHUNK));
      const { bytesRead } = chunk.length > 0 ? await file.read(chunk, 0, chunk.length, at) : { bytesRead: 0 };
      at += bytesRead;
      if (bytesRead > 0) return controller.enqueue(chunk.subarray(0, bytesRead));
      await file.close();
      controller.close();
    },
    cancel: () => file.close(),
  }, { highWaterMark: 0 });
}
