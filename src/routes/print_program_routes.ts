import process from "node:process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { errorText } from "../util/error_text.ts";
import { appsOfProgram, type ListedApp } from "./program_apps.ts";

const USAGE = `Prints the routes of a program, with what runs before their handlers.

  deno run -A jsr:@sluice/sluice/routes main.ts
  npx sluice-routes main.mjs

  --json  as JSON`;

/**
 * Prints the routes of a program: the command line of `@sluice/sluice/routes`, and of `sluice-routes` on npm. It ends the
 * process, because the program may have begun what would keep it going.
 *
 * @param args The program's file, and `--json` for a list that programs read
 *
 * @example A command of one's own
 * ```ts ignore
 * import { printProgramRoutes } from "@sluice/sluice/routes";
 *
 * await printProgramRoutes(["src/main.ts", "--json"]);
 * ```
 */
export async function printProgramRoutes(args: readonly string[]): Promise<void> {
  const files = args.filter((arg) => !arg.startsWith("-"));
  const flags = args.filter((arg) => arg.startsWith("-"));
  if (flags.includes("--help") || flags.includes("-h")) return end(0, USAGE);
  const unknown = flags.find((flag) => flag !== "--json");
  if (unknown !== undefined) return end(2, `routes: there is no flag ${unknown}\n\n${USAGE}`);
  if (files.length !== 1) return end(2, `routes takes the file of one program, not ${files.length}\n\n${USAGE}`);
  const [file] = files as [string];
  let apps: ListedApp[];
  try {
    const url = /^(?:file|https?|jsr|npm):/.test(file) ? file : pathToFileURL(resolve(file)).href;
    apps = await aside(() => appsOfProgram(url));
  } catch (error) {
    return end(1, `routes: ${file} failed\n${error instanceof Error ? errorText(error) : String(error)}`);
  }
  if (apps.length === 0) {
    return end(
      1,
      `routes: ${file} makes no application. It is run as it is, so if it exports a function that makes one, name a ` +
        "file that calls it",
    );
  }
  print(apps, flags.includes("--json"));
  end(0);
}

// what the program says must not be among its routes
async function aside<T>(run: () => Promise<T>): Promise<T> {
  const { log, info, debug } = console;
  console.log = console.info = console.debug = (...args) => console.error(...args);
  try {
    return await run();
  } finally {
    Object.assign(console, { log, info, debug });
  }
}

function print(apps: readonly ListedApp[], asJson: boolean): void {
  if (asJson) {
    const routes = apps.flatMap((app) => app.getRegisteredRoutes("", { details: true }));
    return console.log(JSON.stringify(routes, null, 2));
  }
  apps.forEach((app, i) => {
    if (apps.length > 1) console.log(`${i === 0 ? "" : "\n"}Application ${i + 1} of ${apps.length}`);
    app.printRoutes("", { details: true });
  });
}

// what was written must be out before
function end(code: number, message?: string): void {
  const stream = code === 0 ? process.stdout : process.stderr;
  stream.write(message === undefined ? "" : `${message}\n`, () => process.exit(code));
}
