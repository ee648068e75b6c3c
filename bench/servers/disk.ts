/** Reads files in the cheapest way on each runtime. */
import { readFile, stat } from "node:fs/promises";

/** Size in bytes, and modification time. */
export interface FileStat {
  readonly size: number;
  readonly mtime: Date;
}

interface Runtimes {
  readonly Deno?: {
    readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
    stat(path: string): Promise<{ size: number; mtime: Date | null }>;
  };
  readonly Bun?: { file(path: string): Blob };
}

const { Deno: deno, Bun: bun } = globalThis as unknown as Runtimes;

/** Reads a file, as the body of a web response. */
export const fileBody: (path: string) => Promise<Uint8Array<ArrayBuffer> | Blob> = deno !== undefined
  ? deno.readFile
  : bun !== undefined
  // Bun reads the file when it sends it
  ? (path) => Promise.resolve(bun.file(path))
  : readFile as (path: string) => Promise<Uint8Array<ArrayBuffer>>;

/** Returns a file's modification time and size. */
export const fileStat: (path: string) => Promise<FileStat> = deno !== undefined
  ? deno.stat as (path: string) => Promise<FileStat>
  : stat;
