import { assertEquals } from "@std/assert";
import { loadedFrom, programFrame } from "../../src/util/stack_frames.ts";

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

Deno.test("the program's own frame is found in the stacks of every runtime, and its file on every system", () => {
  const found: Record<string, string | null> = {
    "    at handler (file:///app/my%20app/server.ts:3:4)": "/app/my app/server.ts",
    "    at async handler (file:///C:/app/server.ts:3:4)": "C:/app/server.ts",
    "    at async file:///app/server.mjs:3:4": "/app/server.mjs",
    "    at new User (/app/(group)/user.cjs:3:4)": "/app/(group)/user.cjs",
    "    at Users.find [as get] (C:\\app\\users.jsx:3:4)": "C:\\app\\users.jsx",
    "    at file:///app/page.tsx?v=1:3:4": "/app/page.tsx",
    "    at /app/server.js:3:4": "/app/server.js",
    // Bun's
    "    at <anonymous> (/app/server.ts:3:4)": "/app/server.ts",
    "    at native:1:11": null,
    "    at node:internal/process/task_queues:95:5": null,
    "    at ext:core/01_core.js:588:9": null,
    "    at JSON.parse (<anonymous>)": null,
    "    at eval (eval at run (file:///app/server.js:1:1), <anonymous>:3:4)": null,
    "    at query (C:\\app\\node_modules\\pg\\client.js:3:4)": null,
    "    at query (file:///deno/npm/registry.npmjs.org/@a/pg/8.1.0/client.js:3:4)": null,
    "    at walk (file:///app/sluice/walk.ts:3:4)": null,
    "    at secrets (/app/.env:3:4)": null,
    "    at handler (https://example.com/server.js:3:4)": null,
  };
  for (const [frame, path] of Object.entries(found)) {
    const expected = path === null ? null : { path, line: 3, column: 4 };
    assertEquals([frame, programFrame(frame, "file:///app/sluice/")], [frame, expected]);
  }
});
