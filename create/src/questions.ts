/** Prompts for choices that the arguments lack. */
import process from "node:process";
import {
  type Choice,
  type Chosen,
  completed,
  type Runtime,
  RUNTIMES,
  runtimesFor,
  type Template,
  TEMPLATES,
  templatesFor,
} from "./choices.ts";
import { projectFolder } from "./project_folder.ts";
import { UserError } from "./user_error.ts";

/** The prompt library, loaded only in a terminal. */
type Prompts = typeof import("@clack/prompts");

/**
 * Completes the user's choices: asks in a terminal, and fails elsewhere.
 *
 * @param chosen The choices so far
 * @returns All choices, or `undefined` if the user cancels
 * @throws {UserError} If a choice is missing outside a terminal, or the folder cannot be used
 */
export async function askForRest(chosen: Chosen): Promise<Choice | undefined> {
  let known = completed(chosen);
  // before any prompt
  if (known.folder !== undefined) await projectFolder(known.folder);
  if (isComplete(known)) return known;
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw new UserError(missingIn(known));
  const prompts = await import("@clack/prompts");
  prompts.intro("Sluice");
  for (const ask of [askFolder, askTemplate, askRuntime]) {
    const response = await ask(known, prompts);
    if (response === undefined) return void prompts.cancel("Nothing was written");
    known = completed({ ...known, ...response });
  }
  return isComplete(known) ? known : undefined;
}

function isComplete(chosen: Chosen): chosen is Choice {
  return Object.values(chosen).every((value) => value !== undefined);
}

function missingIn({ folder, runtime, template }: Chosen): string {
  const missing = [
    ...(folder === undefined ? ["the folder"] : []),
    ...(runtime === undefined ? [`--runtime (${runtimesFor(template).join(", ")})`] : []),
    ...(template === undefined ? [`--template (${templatesFor(runtime).join(", ")})`] : []),
  ];
  return `There is no terminal to prompt in, so pass ${missing.join(" and ")}`;
}

async function askFolder({ folder }: Chosen, { isCancel, text }: Prompts): Promise<Partial<Choice> | undefined> {
  if (folder !== undefined) return {};
  for (;;) {
    const response = await text({ message: "In which folder?", placeholder: "my-app", defaultValue: "my-app" });
    if (isCancel(response)) return undefined;
    const problem = await projectFolder(response).then(() => undefined, (error: Error) => error);
    if (problem === undefined) return { folder: response };
    if (!(problem instanceof UserError)) throw problem;
    process.stdout.write(`${problem.message}\n`);
  }
}

async function askTemplate(
  { runtime, template }: Chosen,
  { isCancel, select }: Prompts,
): Promise<Partial<Choice> | undefined> {
  if (template !== undefined) return {};
  const options = templatesFor(runtime).map((value) => ({ value, label: value, hint: TEMPLATES[value] }));
  const response = await select<Template>({ message: "Which template?", options });
  return isCancel(response) ? undefined : { template: response };
}

async function askRuntime(
  { runtime, template }: Chosen,
  { isCancel, select }: Prompts,
): Promise<Partial<Choice> | undefined> {
  if (runtime !== undefined) return {};
  const options = runtimesFor(template).map((value) => ({ value, label: RUNTIMES[value] }));
  const response = await select<Runtime>({ message: "For which runtime?", options, initialValue: thisRuntime() });
  return isCancel(response) ? undefined : { runtime: response };
}

/** The runtime that runs the command, which is probably the one wanted. */
function thisRuntime(): Runtime {
  const { versions } = process;
  return "bun" in versions ? "bun" : "deno" in versions ? "deno" : "node";
}
