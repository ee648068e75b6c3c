/** Runs the command, from arguments to exit code. */
import process from "node:process";
import { HELP, readArguments } from "./arguments.ts";
import { type Choice, RUNTIMES, TEMPLATES } from "./choices.ts";
import { projectFolder } from "./project_folder.ts";
import { commandsOf, filesOf } from "./project_files.ts";
import { askForRest } from "./questions.ts";
import { tryProgram } from "./try/try_program.ts";
import { UserError } from "./user_error.ts";
import { VERSION } from "./versions.ts";
import { writeProject } from "./write_project.ts";

/**
 * Runs the command.
 *
 * @param args Its arguments
 * @returns Its exit code: 0 if a project was written or help was requested; `try` has its own exit codes
 */
export async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "try") return await tryProgram(args.slice(1));
  try {
    const { help, version, chosen } = readArguments(args);
    if (help || version) {
      process.stdout.write(help ? HELP : `${VERSION}\n`);
      return 0;
    }
    const choice = await askForRest(chosen);
    if (choice === undefined) return 1;
    const folder = await projectFolder(choice.folder);
    await writeProject(folder, await filesOf(folder.name, choice));
    process.stdout.write(nextSteps(choice));
    return 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

function nextSteps({ folder, runtime, template }: Choice): string {
  const { install, test, dev } = commandsOf(runtime);
  const enter = folder === "." ? [] : [`cd ${/\s/.test(folder) ? JSON.stringify(folder) : folder}`];
  const steps = [...enter, install, test, dev];
  return `Wrote ${folder}: ${TEMPLATES[template]}, for ${RUNTIMES[runtime]}. Next:\n\n  ${steps.join("\n  ")}\n`;
}
