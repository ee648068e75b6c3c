import { makeProject } from "./project.ts";
import { findings } from "./compile.ts";
import { PINNED } from "./pins.ts";
const sluice = new URL("../../.cache/npm/sluice/", import.meta.url);
const folder = await makeProject(sluice);
let n = 0;
for (const { path } of PINNED) {
  const text = await Deno.readTextFile(`/tmp/t/dt/${path}`);
  for (const loading of ["require", "import"] as const) {
    const t0 = performance.now();
    try {
      const types = `${folder}node_modules/express/types/${loading === "require" ? "required.d.cts" : "mod.d.ts"}`;
      const found = findings(`${folder}${path.split("/").at(-1)}`, text, types, loading);
      console.log("=====", path, loading, found.length, Math.round(performance.now() - t0));
      n += found.length;
      for (const { line, code, message } of found) {
        console.log(
          `  ${line} ${code} ${message.split("\n").slice(0, Deno.args[0] ? 8 : 1).join("\n      ")} | ${
            text.split("\n")[line - 1].trim().slice(0, 80)
          }`,
        );
      }
    } catch (e) {
      console.log("THROWN", path, loading, e.message.slice(0, 1500));
    }
  }
}
console.log(n);
