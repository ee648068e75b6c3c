import type { FileStat, FileSystem, OpenFile } from "../../exchange/file_system.ts";
import { sourceText } from "./source_text.ts";

/** The part of `node:fs`'s `Stats` used here. */
interface Stats {
  isFile(): boolean;
  isDirectory(): boolean;
  readonly size: number;
  readonly mtime: Date;
}

/** The part of `node:fs`'s `FileHandle` used here. */
interface FileHandle {
  read(into: Uint8Array, at: number, length: number, position: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

/** The part of `node:fs` used here. */
export interface BuiltinFiles {
  /** Synchronous. */
  statSync(path: string): Stats;
  /** Synchronous. */
  readFileSync(path: string, encoding: "utf8"): string;
  /** With promises. */
  readonly promises: {
    stat(path: string): Promise<Stats>;
    readdir(path: string): Promise<string[]>;
    open(path: string): Promise<FileHandle>;
    readFile(path: string): Promise<Uint8Array>;
    readFile(path: string, encoding: "utf8"): Promise<string>;
  };
}

/**
 * File access on a runtime that has `node:fs`.
 *
 * @param load Returns the module; called on first access
 * @param workingDirectory The folder against which relative paths are resolved
 */
export function builtinFiles(load: () => BuiltinFiles, workingDirectory: () => string): FileSystem {
  return {
    stat: async (path) => fileStat(await load().promises.stat(path)),
    statSync: (path) => fileStat(load().statSync(path)),
    names: (folder) => load().promises.readdir(folder),
    open: (path, start) => openFile(load(), path, start),
    readBytes: (path) => load().promises.readFile(path),
    readText: (path) => load().promises.readFile(path, "utf8"),
    sourceText: (path) =>
      sourceText(path, (path) => fileStat(load().statSync(path)), (path) => load().readFileSync(path, "utf8")),
    wholeBytes: 64 * 1024,
    workingDirectory,
  };
}

/**
 * Converts `node:fs`'s information about a file.
 *
 * @param info The information
 */
export function fileStat(info: Stats): FileStat {
  return { isFile: info.isFile(), isDirectory: info.isDirectory(), size: info.size, mtimeMs: info.mtime.getTime() };
}

async function openFile({ promises }: BuiltinFiles, path: string, start: number): Promise<OpenFile> {
  const handle = await promises.open(path);
  let position = start;
  return {
    async read(into) {
      const { bytesRead } = await handle.read(into, 0, into.length, position);
      position += bytesRead;
      return bytesRead;
    },
    close: () => handle.close(),
  };
}
