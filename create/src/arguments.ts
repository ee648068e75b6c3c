/** The command's arguments. */
import { parseArgs } from "node:util";
import { type Chosen, goTogether, type Runtime, RUNTIMES, runtimesFor, type Template, TEMPLATES } from "./choices.ts";
import { UserError } from "./user_error.ts";

/** Parsed arguments. */
export interface Arguments {
  /** Whether to print only the help. */
  readonly help: boolean;
  /** Whether to print only the version. */
  readonly version: boolean;
  /** The user's choices. */
  readonly chosen: Chosen;
}

// no short options: Bun would treat some as its own
const OPTIONS = {
  runtime: { type: "string" },
  template: { type: "string" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/** Output for `--help`. */
export const HELP = `Creates a Sluice project in a new folder.

Usage:
  npm create sluice [folder] -- [options]
  bun create sluice [folder] [options]
  deno run -A jsr:@sluice/create [folder] [options]
  npx create-sluice try --help        tries Sluice on the Express program in this folder

Options:
  --runtime <name>    ${Object.keys(RUNTIMES).join(", ")}
  --template <name>
${Object.entries(TEMPLATES).map(([name, what]) => `    ${name.padEnd(10)}        ${what}`).join("\n")}
  --help              shows this help
  --version           shows the version

The template "worker" is the one for the runtime "workers"; the others run on node, deno and bun. In a terminal, it
prompts for missing options.
`;

/**
 * Parses the arguments.
 *
 * @param args The arguments after the command
 * @throws {UserError} If an argument is unknown, or two are incompatible
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parsed(args);
  const { help = false, version = false } = values;
  if (positionals.length > 1) {
    throw new UserError(`There can be only one folder, not ${positionals.join(" and ")}; quote a name with spaces`);
  }
  const runtime = oneOf("runtime", values.runtime, RUNTIMES);
  const template = oneOf("template", values.template, TEMPLATES);
  if (runtime !== undefined && template !== undefined) checkTogether(runtime, template);
  return { help, version, chosen: { folder: positionals[0] || undefined, runtime, template } };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    // the first sentence names the argument; the rest is advice on positional arguments
    const [what] = (cause as Error).message.split(". ");
    const known = Object.keys(OPTIONS).map((name) => `--${name}`).join(", ");
    throw new UserError(`${what}; the options are ${known}`, { cause });
  }
}

function oneOf<Name extends string>(
  option: string,
  given: string | undefined,
  all: Readonly<Record<Name, string>>,
): Name | undefined {
  if (given === undefined || Object.hasOwn(all, given)) return given as Name | undefined;
  throw new UserError(`There is no ${option} "${given}"; --${option} accepts ${Object.keys(all).join(", ")}`);
}

function checkTogether(runtime: Runtime, template: Template): void {
  if (goTogether(runtime, template)) return;
  const others = runtimesFor(template).join(", ");
  const hint = runtime === "workers" ? `; for workers, the template is "worker"` : "";
  throw new UserError(`The template "${template}" does not run on ${runtime}, but on ${others}${hint}`);
}
