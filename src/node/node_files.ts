import * as fs from "node:fs";
import type { FileSystem } from "../http/file_system.ts";
import { builtinFiles } from "../platform/builtin_files.ts";

/** Node's files. A stream of up to this many bytes takes twice as long, and keeps as much of them in memory. */
export const nodeFiles: FileSystem = { ...builtinFiles(() => fs, () => process.cwd()), wholeBytes: 256 * 1024 };
