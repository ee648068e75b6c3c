import { type Command, UsageError } from "./command.ts";
import { aside, loadProgram } from "./load_program.ts";

/** `sluice routes`: prints a program's routes. */
export const routesCommand: Command = {
  summary: "Prints the routes of a program, with what runs before their handlers.",
  args: "FILE [--json]",
  details: ["--json  as JSON"],
  options: { json: { type: "boolean" } },
  async run(files, flags) {
    if (files.length !== 1) throw new UsageError(`expected the file of one program, not ${files.length}`);
    const [file] = files as [string];
    const apps = await aside(() => loadProgram(file));
    if (flags["json"] === true) {
      const routes = apps.flatMap((app) => app.getRegisteredRoutes("", { details: true }));
      return console.log(JSON.stringify(routes, null, 2));
    }
    apps.forEach((app, i) => {
      if (apps.length > 1) console.log(`${i === 0 ? "" : "\n"}Application ${i + 1} of ${apps.length}`);
      app.printRoutes("", { details: true });
    });
  },
};
