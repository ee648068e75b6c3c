import process from "node:process";
import { DOCUMENT_DETAILS, DOCUMENT_OPTIONS, documentedApp } from "./chosen_app.ts";
import { type Command, type FlagValues, headersOf, UsageError } from "./command.ts";
import { aside } from "./load_program.ts";
import { type Checking, openApiPackage } from "./openapi_package.ts";

/** The part of a finding used here. */
interface Finding {
  readonly operation: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

/** `sluice check`: compares an application's behavior with its document. */
export const checkCommand: Command = {
  summary: "Sends a program requests generated from its OpenAPI document, and reports where it deviates.",
  args: "FILE [--seed N] [--only 'POST /notes'] [-H 'NAME: VALUE'] [--json]",
  details: [
    "--seed           seed of the generated requests, 1 by default",
    "--runs           valid requests for each operation, 20 by default",
    "--only           an operation: its method and path, or its operationId; may be repeated",
    "-H, --header     a header for all requests, such as credentials; may be repeated",
    ...DOCUMENT_DETAILS,
    "--log            shows what the program logs, such as errors of requests that are meant to fail",
    "--json           prints the findings as JSON",
    "",
    "The requests are real, so give the program a separate database. Exits with 0 if nothing was found, 1 if something",
    "was or the program failed, and 2 if the arguments are wrong.",
  ],
  options: {
    seed: { type: "string" },
    runs: { type: "string" },
    only: { type: "string", multiple: true },
    header: { type: "string", short: "H", multiple: true },
    log: { type: "boolean" },
    json: { type: "boolean" },
    ...DOCUMENT_OPTIONS,
  },
  async run(files, flags) {
    if (files.length !== 1) throw new UsageError(`expected the file of one program, not ${files.length}`);
    const [file] = files as [string];
    const options = {
      seed: numberOf(flags, "seed", 1),
      runs: numberOf(flags, "runs", 20),
      headers: headersOf(flags),
      ...flags["only"] === undefined ? {} : { only: flags["only"] },
    };
    const { report, text } = await aside(async () => {
      const { app, document } = await documentedApp(file, flags);
      const { checkApplication, reportText } = await openApiPackage<Checking>("/check", file);
      const check = () => checkApplication(app, { ...options, document });
      const report = await (flags["log"] === true ? check() : unheard(check));
      return { report, text: reportText(report, (finding: Finding) => repeat(file, options.seed, finding)) };
    });
    process.stdout.write(flags["json"] === true ? `${JSON.stringify(report, null, 2)}\n` : `${text}\n`);
    return report.findings.length > 0 ? 1 : 0;
  },
};

/** Runs a function without logging. */
async function unheard<T>(run: () => Promise<T>): Promise<T> {
  const { log, info, debug, warn, error } = console;
  console.log =
    console.info =
    console.debug =
    console.warn =
    console.error =
      () => {};
  try {
    return await run();
  } finally {
    Object.assign(console, { log, info, debug, warn, error });
  }
}

function numberOf(flags: FlagValues, name: string, usual: number): number {
  const value = flags[name] as string | undefined;
  if (value === undefined) return usual;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a number, not ${value}`);
  return Number(value);
}

/** Returns the command that repeats one request; a form cannot be typed as a string. */
function repeat(file: string, seed: number, { operation, request: { method, path, headers, body } }: Finding): string {
  if (body !== undefined && headers["content-type"] === undefined) {
    return `sluice check ${quoted(file)} --seed ${seed} --only ${quoted(operation)}`;
  }
  const said = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const data = body === undefined ? [] : [`-d ${quoted(body)}`];
  return ["sluice request", quoted(file), quoted(path), `-X ${method}`, ...said, ...data].join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
