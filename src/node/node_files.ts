import * as fs from "node:fs";
import type { FileSystem } from "../http/file_system.ts";
import { builtinFiles } from "../platform/builtin_files.ts";

/** Node's files. */
export const nodeFiles: FileSystem = builtinFiles(() => fs, () => process.cwd());
