import process from "node:process";
import { parseArgs } from "node:util";
import { errorText } from "../util/error_text.ts";
import { checkCommand } from "./check_command.ts";
import { clientCommand } from "./client_command.ts";
import { type Command, CommandError, UsageError } from "./command.ts";
import { requestCommand } from "./request_command.ts";
import { routesCommand } from "./routes_command.ts";

/** All commands. To add one, create a file next to this one and add a row here. */
const COMMANDS: Readonly<Record<string, Command>> = {
  check: checkCommand,
  client: clientCommand,
  request: requestCommand,
  routes: routesCommand,
};

/**
 * The command line for `@sluice/sluice/cli`, and for `sluice` on npm. It exits the process, because the program may
 * have started work that would keep it alive: with 0, 1 if the command failed, or 2 if its arguments are invalid.
 *
 * @param args The command's name and arguments; `--help` lists the commands
 *
 * @example Your own command
 * ```ts ignore
 * import { runCli } from "@sluice/sluice/cli";
 *
 * await runCli(["routes", "src/main.ts", "--json"]);
 * ```
 */
export async function runCli(args: readonly string[]): Promise<void> {
  const [name = "", ...rest] = args;
  if (["--help", "-h", "help"].includes(name)) return end(0, overview());
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    return end(2, `${name === "" ? "sluice needs a command" : `sluice: there is no command ${name}`}\n\n${overview()}`);
  }
  try {
    const options = { ...command.options, help: { type: "boolean", short: "h" } } as const;
    const { positionals, values } = parsed(rest, options);
    if (values["help"] === true) return end(0, helpOf(name, command));
    end(await command.run(positionals, values) ?? 0);
  } catch (error) {
    if (error instanceof UsageError) return end(2, `${name}: ${error.message}\n\n${helpOf(name, command)}`);
    end(1, `${name}: ${error instanceof CommandError ? error.message : errorText(error as Error)}`);
  }
}

function parsed(args: string[], options: Command["options"]): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function overview(): string {
  const longest = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(longest)}  ${summary}`);
  return `${call("<command>", "…")}\n\n${lines.join("\n")}\n\nsluice <command> --help prints its arguments`;
}

function helpOf(name: string, { summary, args, details }: Command): string {
  return `${summary}\n\n${call(name, args)}\n\n${details.map((line) => `  ${line}`).join("\n")}`;
}

function call(name: string, args: string): string {
  return `  npx sluice ${name} ${args}\n  deno run -A jsr:@sluice/sluice/cli ${name} ${args}`;
}

// the output must be written first
function end(code: number, message?: string): void {
  const stream = code === 0 ? process.stdout : process.stderr;
  stream.write(message === undefined ? "" : `${message}\n`, () => process.exit(code));
}
