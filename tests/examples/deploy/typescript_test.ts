/** Both packages as users install them from npm, checked by TypeScript itself. */
import { NPM_FACTS } from "../../../scripts/npm_manifest.ts";
import { copyExample, done } from "./packages.ts";

const OPTIONS = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  // also checks the packages' declarations
  skipLibCheck: false,
  target: "es2022",
  // without the DOM, as on a server
  lib: ["es2022"],
  types: ["node"],
};

async function doorsOf(folder: string): Promise<string[]> {
  const { name, exports } = JSON.parse(
    await Deno.readTextFile(new URL(`../../../${folder}deno.json`, import.meta.url)),
  );
  // a command-line entry is not for programs to import, and a framework's entry needs its types
  const { command, typesOf = {} } = NPM_FACTS[name]!;
  const others = [command?.entry, ...Object.keys(typesOf)].map((entry) => `./${entry}`);
  const doors = Object.keys(exports).filter((door) => !others.includes(door));
  return doors.map((door) => name + door.slice(1));
}

for (const module of ["nodenext", "preserve"]) {
  Deno.test(`the packages' declarations need only Node's types (module: ${module})`, async () => {
    const folder = await copyExample("node-docker");
    const doors = (await Promise.all(["", "advanced/", "middleware/"].map(doorsOf))).flat();
    await Deno.writeTextFile(
      `${folder}doors.ts`,
      doors.map((door, i) => `export * as d${i} from "${door}";\n`).join(""),
    );
    const config = { compilerOptions: { ...OPTIONS, module }, files: ["doors.ts", "src/server.ts"] };
    await Deno.writeTextFile(`${folder}tsconfig.json`, JSON.stringify(config));
    await done("node", ["../node_modules/typescript/bin/tsc", "-p", "."], folder);
  });
}

const COMMON_JS = `
import sluice = require("@sluice/sluice");
import limits = require("@sluice/rate-limit");

const app: sluice.Application = sluice();
app.get("/:id", (req: sluice.Request<{ id: string }>, res: sluice.Response<string>) => {
  const error: sluice.HttpError = new sluice.HttpError(400);
  res.status(error.status).send(req.params.id);
});
const limit: limits.RateLimitMiddleware = limits.rateLimit({ limit: 1, windowMs: 1 });
app.use(limit);
app.listen(3000);
// @ts-expect-error: there is no such setting
limits.rateLimit({ maximum: 1 });
`;

Deno.test("a program in CommonJS has the packages' types", async () => {
  const folder = await copyExample("node-docker");
  await Deno.writeTextFile(`${folder}package.json`, JSON.stringify({ type: "commonjs" }));
  await Deno.writeTextFile(`${folder}program.ts`, COMMON_JS);
  const config = { compilerOptions: { ...OPTIONS, module: "node16" }, files: ["program.ts"] };
  await Deno.writeTextFile(`${folder}tsconfig.json`, JSON.stringify(config));
  await done("node", ["../node_modules/typescript/bin/tsc", "-p", "."], folder);
});
