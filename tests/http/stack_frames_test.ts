import { assertEquals } from "@std/assert";
import { loadedFrom } from "../../src/util/stack_frames.ts";

Deno.test("the folder of Sluice is found wherever it is installed, and none in a bundle with the program", () => {
  const folders: Record<string, string | null> = {
    "    at ownFolder (/app/node_modules/@sluice/sluice/node/chunk-a1.cjs:1:2)": "/app/node_modules/@sluice/sluice/",
    "    at file:///app/node_modules/express/dist/mod.js:1:2": "file:///app/node_modules/express/",
    "    at ownFolder (file:///app/node_modules/.pnpm/@sluice+sluice@0.1.0/node_modules/@sluice/sluice/node/mod.js:1:2)":
      "file:///app/node_modules/.pnpm/@sluice+sluice@0.1.0/node_modules/@sluice/sluice/",
    "    at ownFolder (https://jsr.io/@sluice/sluice/0.1.0/mod.js:1:2)": "https://jsr.io/@sluice/sluice/",
    "    at ownFolder (file:///home/.cache/deno/npm/registry.npmjs.org/@sluice/sluice/0.1.0/dist/mod.js:1:2)":
      "file:///home/.cache/deno/npm/registry.npmjs.org/@sluice/sluice/",
    "    at ownFolder (C:\\app\\node_modules\\@sluice\\sluice\\node\\mod.cjs:1:2)":
      "C:/app/node_modules/@sluice/sluice/",
    "ownFolder@/app/node_modules/@sluice/sluice/dist/mod.js:1:2": "/app/node_modules/@sluice/sluice/",
    "    at folded (file:///sluice/src/dispatch/error_details.ts:1:2)": "file:///sluice/src/",
    "    at folded (file:///app/src/other/error_details.ts:1:2)": null,
    "    at ownFolder (file:///app/dist/server.js:1:2)": null,
    "    at ownFolder (worker.js:1:2)": null,
    "    at ownFolder (/app/src/server.js:1:2)": null,
  };
  for (const [frame, folder] of Object.entries(folders)) {
    const stack = `Error\n${frame}\n    at handler (/app/server.js:3:4)`;
    assertEquals([frame, loadedFrom(stack, "dispatch/error_details.ts")], [frame, folder]);
  }
});
