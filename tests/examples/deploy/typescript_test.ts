/** Both packages as users install them from npm, checked by TypeScript itself. */
import { copyExample, done } from "./packages.ts";

const OPTIONS = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  // the packages' declarations are checked too
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
  return Object.keys(exports).map((door) => name + door.slice(1));
}

for (const module of ["nodenext", "preserve"]) {
  Deno.test(`the packages' declarations need only Node's types (module: ${module})`, async () => {
    const folder = await copyExample("node-docker");
    const doors = (await Promise.all(["", "advanced/"].map(doorsOf))).flat();
    await Deno.writeTextFile(
      `${folder}doors.ts`,
      doors.map((door, i) => `export * as d${i} from "${door}";\n`).join(""),
    );
    const config = { compilerOptions: { ...OPTIONS, module }, files: ["doors.ts", "src/server.ts"] };
    await Deno.writeTextFile(`${folder}tsconfig.json`, JSON.stringify(config));
    await done("node", ["../node_modules/typescript/bin/tsc", "-p", "."], folder);
  });
}
