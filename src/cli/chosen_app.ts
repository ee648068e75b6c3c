import { CommandError, type FlagValues, UsageError } from "./command.ts";
import { loadProgram } from "./load_program.ts";
import { type Documenting, openApiPackage } from "./openapi_package.ts";
import type { LoadedApp } from "./program_apps.ts";

/** Flags for commands that read an application's document. */
export const DOCUMENT_OPTIONS = { app: { type: "string" }, document: { type: "string" } } as const;

/** Help text for them. */
export const DOCUMENT_DETAILS: readonly string[] = [
  "--app            which application, if the program has several: 1 for the first",
  "--document       path of the document in the application, such as /docs/openapi.json; made from its routes by " +
  "default",
];

/** An application and its document. */
export interface Documented {
  /** The application. */
  readonly app: LoadedApp;
  /** Its document. */
  readonly document: { readonly "x-not-expressible"?: readonly Missing[] };
}

/** An API feature that a document cannot express. */
interface Missing {
  readonly method: string;
  readonly path: string;
  readonly reason: string;
}

/**
 * Runs a program and gets its application's document.
 *
 * @param file Its main module
 * @param flags Values of {@linkcode DOCUMENT_OPTIONS}
 * @throws {UsageError} If the program has several applications and none is selected
 * @throws {CommandError} If the program fails, or does not serve its document there
 */
export async function documentedApp(file: string, flags: FlagValues): Promise<Documented> {
  const number = flags["app"] as string | undefined;
  const app = chosenApp(await loadProgram(file), number === undefined ? undefined : Number(number));
  const path = flags["document"] as string | undefined;
  if (path === undefined) {
    const { openapi } = await openApiPackage<Documenting>("", file);
    return { app, document: openapi(app, { title: file, version: "1" }) };
  }
  const response = await app.fetch(new Request(`http://localhost${path}`), {});
  const text = await response.text();
  try {
    const document = JSON.parse(text);
    if (response.ok && typeof document.paths === "object") return { app, document };
  } catch {
    // not a document, as the error below explains
  }
  throw new CommandError(`${path} is not an OpenAPI document: ${response.status} ${text.slice(0, 100)}`);
}

/**
 * The application that `--app` selects.
 *
 * @param apps The program's applications
 * @param number Its position, from 1; needed only if there are several
 * @throws {UsageError} If there is none at that position, or several and no number
 */
export function chosenApp(apps: readonly LoadedApp[], number: number | undefined): LoadedApp {
  const app = apps[(number ?? 1) - 1];
  if (app !== undefined && (number !== undefined || apps.length === 1)) return app;
  const range = apps.length === 1 ? "one application" : `${apps.length} applications`;
  throw new UsageError(
    `the program has ${range}, so --app must be 1 to ${apps.length}, in the order of \`sluice routes\``,
  );
}
