import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { DOCUMENT_DETAILS, DOCUMENT_OPTIONS, documentedApp } from "./chosen_app.ts";
import { type Command, CommandError, UsageError } from "./command.ts";
import { aside } from "./load_program.ts";
import { type Generating, openApiPackage } from "./openapi_package.ts";
import { watchAndRepeat } from "./watch.ts";

/** `sluice client`: writes a typed client for a program's routes. */
export const clientCommand: Command = {
  summary: "Writes a typed TypeScript client for a program's routes.",
  args: "FILE [-o CLIENT] [--watch]",
  details: [
    "-o, --output     the file to write; standard output by default",
    "--watch          writes it again when a file next to the program is saved",
    ...DOCUMENT_DETAILS,
    "",
    "The program runs, but its applications do not listen. Other effects of importing it remain, such as database",
    "connections and timers. To avoid them, export the application from a file that only creates it, such as app.ts,",
    "import that file where you call listen, and pass it here.",
  ],
  options: { output: { type: "string", short: "o" }, watch: { type: "boolean" }, ...DOCUMENT_OPTIONS },
  async run(files, flags) {
    if (files.length !== 1) throw new UsageError(`expected the file of one program, not ${files.length}`);
    const [file] = files as [string];
    const output = flags["output"] as string | undefined;
    if (flags["watch"] === true) {
      if (output === undefined) throw new UsageError("--watch needs a file to write: --output client.ts");
      // a new process each time, because a process loads a module only once
      return await watchAndRepeat(dirname(resolve(file)), resolve(output), ["--watch"]);
    }
    const text = await aside(async () => {
      const { app, document } = await documentedApp(file, flags);
      const { generateClient } = await openApiPackage<Generating>("/generate", file);
      for (const { method, path, reason } of document["x-not-expressible"] ?? []) {
        console.error(`client: ${method} ${path}: ${reason}`);
      }
      if (!await exportsApp(file, app)) console.error(`client: ${file} calls listen, which was skipped; see --help`);
      return generateClient(app, { document, command: commandText(file, flags) });
    });
    if (output === undefined) return void process.stdout.write(text);
    console.error(`client: ${output} ${await written(output, text) ? "was written" : "has not changed"}`);
  },
};

function commandText(file: string, flags: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(flags).flatMap(([name, value]) =>
    typeof value !== "string" ? [] : name === "output" ? [`-o ${value}`] : [`--${name} ${value}`]
  );
  return ["sluice client", file, ...said].join(" ");
}

/** Returns whether a program exports its application; false while it is loading because it waits for its server. */
async function exportsApp(file: string, app: unknown): Promise<boolean> {
  const url = /^(?:file|https?|jsr|npm):/.test(file) ? file : pathToFileURL(resolve(file)).href;
  const none = (): unknown[] => [];
  const loaded = import(/* webpackIgnore: true */ /* @vite-ignore */ url).then(
    (all): unknown[] => Object.values(all),
    none,
  );
  const exported = await Promise.race([loaded, new Promise<unknown[]>((resolve) => setTimeout(resolve, 10, none()))]);
  return exported.includes(app);
}

/** Writes a file atomically if its content differs. */
async function written(path: string, text: string): Promise<boolean> {
  const before = await readFile(path, "utf8").catch(() => undefined);
  if (before === text) return false;
  if (before !== undefined && before.trim() !== "" && !/^\/\/ Written by `sluice client /m.test(before)) {
    throw new CommandError(`${path} was not written by sluice client: remove it, or name another file`);
  }
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
  return true;
}
