import module from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CommandError } from "./command.ts";

/** The part of `@sluice/openapi/generate` used here. */
export interface Generating {
  /** Writes a client. */
  generateClient(app: unknown, options: { readonly document?: object; readonly command: string }): string;
}

/** The part of `@sluice/openapi/check` used here. */
export interface Checking {
  /** Checks an application. */
  checkApplication(app: unknown, options: object): Promise<{ readonly findings: readonly object[] }>;
  /** Formats the findings. */
  reportText(report: object, repeat: (finding: never) => string): string;
}

/** The part of `@sluice/openapi` used here. */
export interface Documenting {
  /** Creates an application's document. */
  openapi(app: unknown, info: { readonly title: string; readonly version: string }): object;
}

/**
 * Loads an entry from `@sluice/openapi`: the program's own copy, or else the one next to this package.
 *
 * @param entry The path after the package's name
 * @param program The program's file
 * @throws {CommandError} If it is not installed
 */
export async function openApiPackage<Entry>(entry: "" | "/check" | "/generate", program: string): Promise<Entry> {
  const name = `@sluice/openapi${entry}`;
  const specifiers = [name];
  try {
    specifiers.unshift(pathToFileURL(module.createRequire(pathToFileURL(resolve(program))).resolve(name)).href);
  } catch {
    // Deno resolves it by name alone
  }
  const reasons: string[] = [];
  for (const specifier of specifiers) {
    try {
      return await import(/* webpackIgnore: true */ /* @vite-ignore */ specifier);
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new CommandError(
    `it needs @sluice/openapi, installed next to the program: npm install @sluice/openapi\n${reasons.join("\n")}`,
  );
}
