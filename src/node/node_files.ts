import * as fs from "node:fs";
import type { FileSystem } from "../exchange/file_system.ts";
import { builtinFiles } from "../platform/shared/builtin_files.ts";

/** Node's file system. Up to this size, streaming a file takes twice the time and memory. */
export const nodeFiles: FileSystem = { ...builtinFiles(() => fs, () => process.cwd()), wholeBytes: 256 * 1024 };
