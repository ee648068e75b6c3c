/** Arguments for `create-sluice try`. */
import { parseArgs } from "node:util";
import { UserError } from "../user_error.ts";

/** Parsed arguments. */
export interface TryArguments {
  /** Whether to print only the help. */
  readonly help: boolean;
  /** Command that runs the program's tests; `npm test` by default. */
  readonly test: string | undefined;
  /** Command that starts the program, to measure a request. */
  readonly start: string | undefined;
  /** Path to request for the measurement. */
  readonly url: string;
  /** Port the program listens on, if it does not read `PORT`. */
  readonly port: number | undefined;
  /** Time limit for one test run, in minutes. */
  readonly minutes: number;
  /** Whether the report is JSON. */
  readonly json: boolean;
}

const OPTIONS = {
  test: { type: "string" },
  start: { type: "string" },
  url: { type: "string" },
  port: { type: "string" },
  minutes: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** Output for `try --help`. */
export const TRY_HELP = `Tries Sluice on the Express program in this folder, in a copy: the program is not changed.

Usage:
  npx create-sluice try [options]

It runs the program's tests twice on Express, to find those that are flaky, and on @sluice/express of the same major:
once, or twice if some differ. It names the tests that differ each time, and the lines of the program that rely on
known differences.

Options:
  --test <command>    runs the tests; "npm test" by default
  --start <command>   starts the program on the port in PORT, and compares the cost of a request
  --url <path>        the path it requests; "/" by default
  --port <number>     the port of a program that does not read PORT
  --minutes <number>  time limit of one run of the tests; 30 by default
  --json              prints the report as JSON
  --help              shows this help

Exit code: 0 if nothing differs, 1 if something does, 2 if nothing could be compared.
`;

/**
 * Parses the arguments.
 *
 * @param args The arguments after `try`
 * @throws {UserError} If an argument is unknown or invalid
 */
export function readTryArguments(args: readonly string[]): TryArguments {
  const { help = false, json = false, test, start, url = "/", port, minutes = "30" } = parsed(args);
  if (!url.startsWith("/")) throw new UserError(`--url must be a path such as /users, not ${JSON.stringify(url)}`);
  return {
    help,
    json,
    test,
    start,
    url,
    port: port === undefined ? undefined : positive("port", port, 65_535),
    minutes: positive("minutes", minutes, 24 * 60),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (cause) {
    const [what] = (cause as Error).message.split(". ");
    const known = Object.keys(OPTIONS).map((name) => `--${name}`).join(", ");
    throw new UserError(`${what}; the options of try are ${known}`, { cause });
  }
}

function positive(option: string, given: string, most: number): number {
  const value = Number(given);
  if (Number.isInteger(value) && value > 0 && value <= most) return value;
  throw new UserError(`--${option} must be a whole number from 1 to ${most}, not ${JSON.stringify(given)}`);
}
