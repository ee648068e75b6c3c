import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { errorText } from "../util/error_text.ts";
import { CommandError } from "./command.ts";
import { appsOfProgram, type LoadedApp } from "./program_apps.ts";

/**
 * Runs a program for a command.
 *
 * @param file Its main module: a path, or a URL
 * @returns Its applications, at least one
 * @throws {CommandError} If it fails or creates no application
 */
export async function loadProgram(file: string): Promise<readonly LoadedApp[]> {
  let apps: LoadedApp[];
  try {
    apps = await appsOfProgram(/^(?:file|https?|jsr|npm):/.test(file) ? file : pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new CommandError(`${file} failed\n${error instanceof Error ? errorText(error) : String(error)}`);
  }
  if (apps.length > 0) return apps;
  throw new CommandError(
    `${file} creates no application. If it exports a function that creates one, pass a file that calls it`,
  );
}

/**
 * Runs a function with the program's logs on standard error, so they do not mix with the command's output.
 *
 * @param run The function
 */
export async function aside<T>(run: () => Promise<T>): Promise<T> {
  const { log, info, debug } = console;
  console.log = console.info = console.debug = (...args) => console.error(...args);
  try {
    return await run();
  } finally {
    Object.assign(console, { log, info, debug });
  }
}
