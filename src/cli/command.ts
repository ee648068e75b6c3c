import type { ParseArgsConfig } from "node:util";

/** Values of a command's flags: a string or an array of them, or `true` for flags without a value. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/**
 * The headers given by `--header`.
 *
 * @param flags The command's flags
 * @throws {UsageError} If one is not a name and a value
 */
export function headersOf(flags: FlagValues): [name: string, value: string][] {
  return ((flags["header"] ?? []) as readonly string[]).map((line) => {
    const [, name, value] = line.match(/^([^:]+):\s*(.*)$/s) ?? [];
    if (name === undefined) throw new UsageError(`a header must be "Name: value", not ${line}`);
    return [name, value!];
  });
}

/** A command, such as `routes` in `sluice routes main.ts`. */
export interface Command {
  /** Its purpose, in one line. */
  readonly summary: string;
  /** Its arguments, as the help shows them: `FILE [--json]`. */
  readonly args: string;
  /** Help text for its flags, one line each. */
  readonly details: readonly string[];
  /** Its flags, for `parseArgs` from `node:util`; every command has `--help`. */
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /**
   * Runs the command. The process exits afterwards, because the program may have started work that would keep it alive.
   *
   * @param positionals The arguments that are not flags
   * @param flags The flags' values
   * @returns The exit code, 0 by default
   * @throws {UsageError} If the arguments are wrong: prints help, with exit code 2
   * @throws {CommandError} If it fails: exit code 1
   */
  run(positionals: readonly string[], flags: FlagValues): Promise<number | void>;
}

/** A command failed; the message explains why. */
export class CommandError extends Error {}

/** A command's arguments are invalid. */
export class UsageError extends Error {}
