import type { ParseArgsConfig } from "node:util";

/** Values of a command's flags: a string or a list of them, or `true` for flags without a value. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** A command, such as `routes` in `sluice routes main.ts`. */
export interface Command {
  /** What it does, in a line. */
  readonly summary: string;
  /** Its arguments, as help shows them: `FILE [--json]`. */
  readonly args: string;
  /** What help says of its flags, a line each. */
  readonly details: readonly string[];
  /** Its flags, for `parseArgs` of `node:util`; `--help` is every command's. */
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /**
   * Runs it. The process ends afterwards, because the program may have begun what would keep it going.
   *
   * @param positionals What is no flag
   * @param flags Values of the flags
   * @returns The exit code, 0 by default
   * @throws {UsageError} If the arguments are wrong: help follows, with exit code 2
   * @throws {CommandError} If it cannot do it: exit code 1
   */
  run(positionals: readonly string[], flags: FlagValues): Promise<number | void>;
}

/** A command cannot do what it should, and says why. */
export class CommandError extends Error {}

/** The arguments of a command are wrong. */
export class UsageError extends Error {}
