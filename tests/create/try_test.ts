/** `create-sluice try`, installed by npm, on an Express program whose packages come from a registry. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { done } from "../examples/deploy/packages.ts";
import { type Registry, startRegistry } from "../npm/support/registry.ts";
import { skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { installProgram } from "./support/installed_program.ts";

const MANIFEST = {
  name: "a-program",
  private: true,
  scripts: { test: "node --test app.test.js" },
  dependencies: { express: "^5.1.0" },
};

/** Guards the files in `/admin` but, as in Express, not under a different spelling. */
const APP = `
const express = require("express");
const app = express();
app.use("/admin", (req, res) => res.status(401).send("no"));
app.get("/users/:id", (req, res) => res.json({ id: req.params.id }));
// such as /%61dmin.txt
app.use(express.static("files"));
module.exports = app;
`;

const TESTS = `
const { existsSync, writeFileSync } = require("node:fs");
const { test } = require("node:test");
const assert = require("node:assert");
const app = require("./app.js");

const ask = (path) => new Promise((resolve, reject) => {
  const server = app.listen(0, () => fetch("http://localhost:" + server.address().port + path).then((response) => {
    server.close(() => resolve(response.status));
    server.closeAllConnections();
  }, reject));
});
test("a user is found", async () => assert.equal(await ask("/users/7"), 200));
test("a file has many names", async () => assert.equal(await ask("/%61dmin.txt"), 200));
test("it passes the first time", () => {
  const isFirst = !existsSync("ran.txt");
  writeFileSync("ran.txt", "");
  assert(isFirst);
});
test("it fails the first time on Sluice", () => {
  const isSluice = typeof app.fetch === "function";
  const isFirst = isSluice && !existsSync("sluice.txt");
  if (isSluice) writeFileSync("sluice.txt", "");
  assert(!isFirst);
});
`;

const SERVER = 'require("./app.js").listen(process.env.PORT);\n';

let registry: Registry;
let program: string;
let folder: string;

Deno.test.beforeAll(async () => {
  if (skipNode) return;
  registry = await startRegistry();
  program = await installProgram();
  folder = await Deno.makeTempDir({ prefix: "sluice-tried-" });
  await Deno.mkdir(`${folder}/files`);
  const files = {
    "package.json": JSON.stringify(MANIFEST),
    "app.js": APP,
    "app.test.js": TESTS,
    "server.js": SERVER,
    "same.js": 'require("express")();\n',
    "files/admin.txt": "a secret",
  };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
  await done("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], folder);
});

Deno.test.afterAll(async () => {
  if (skipNode) return;
  await registry.stop();
  await Deno.remove(folder, { recursive: true });
});

// the registry outlives the test that started it
const options = { ignore: skipNode, sanitizeOps: false, sanitizeResources: false };

async function tried(cwd: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = new Deno.Command("node", {
    args: [program, "try", ...args],
    cwd,
    env: registry.env,
    stdin: "null",
    signal: AbortSignal.timeout(6 * PATIENCE_MS),
  });
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

async function digest(): Promise<string> {
  const { code, output } = await run("sh", ["-c", "find . -type f | sort | xargs sha1sum | sha1sum"], {
    limitMs: PATIENCE_MS,
    quiet: true,
    cwd: folder,
  });
  assertEquals(code, 0, output);
  return output;
}

Deno.test("try names the tests that differ, those that are flaky, and the lines that may", options, async () => {
  const before = await digest();
  const { code, stdout, stderr } = await tried(folder, "--json");
  assertEquals(code, 1, stderr);
  const { express, sluice, tests, findings, cost } = JSON.parse(stdout);
  assertMatch(`${express} ${sluice}`, /^5\.\d+\.\d+ @sluice\/express 5\.\d+\.\d+$/);
  assertEquals([tests.total, tests.failing], [4, 0]);
  assertEquals(tests.flaky, ["it fails the first time on Sluice", "it passes the first time"]);
  assertEquals(tests.differences, [{
    name: "a file has many names",
    before: { passed: 1, failed: 0 },
    after: { passed: 0, failed: 1 },
  }]);
  assertEquals(findings.map(({ file, line }: { file: string; line: number }) => `${file}:${line}`), ["app.test.js:14"]);
  assertEquals(cost, null);
  assertEquals(await digest(), before, "the program was changed");
});

Deno.test("try compares the cost of a request, and ends with 0 if nothing differs", options, async () => {
  const { code, stdout, stderr } = await tried(
    folder,
    "--test",
    "node same.js",
    "--start",
    "node server.js",
    "--url",
    "/users/7",
  );
  assertEquals(code, 0, stdout + stderr);
  assertMatch(stdout, /^node same\.js names no tests; it ended with 0 on Express and 0 on Sluice$/m);
  for (const name of ["Express", "Sluice"]) {
    assertMatch(stdout, new RegExp(`^  ${name} +\\d+ µs +\\d+ MiB  status 200$`, "m"));
  }
  assert(stdout.endsWith("Nothing differs.\n"), stdout);
});

Deno.test(
  "try finds the Express of a package in a workspace, and changes nothing that links lead to",
  options,
  async () => {
    const workspace = await Deno.makeTempDir();
    await Deno.mkdir(`${workspace}/packages/api`, { recursive: true });
    await Deno.symlink(`${folder}/node_modules`, `${workspace}/packages/api/node_modules`);
    await Deno.writeTextFile(`${workspace}/package.json`, '{ "workspaces": ["packages/*"] }');
    await Deno.writeTextFile(
      `${workspace}/packages/api/test.js`,
      'console.log(`ok 1 - ${typeof require("express")().fetch}`);\n',
    );
    const before = await digest();
    const { code, stdout, stderr } = await tried(workspace, "--test", "node packages/api/test.js", "--json");
    assertEquals(code, 1, stderr);
    assertEquals(JSON.parse(stdout).tests.differences.map(({ name }: { name: string }) => name), [
      "function",
      "undefined",
    ]);
    assertEquals(await digest(), before, "what a link leads to was changed");
    await Deno.remove(workspace, { recursive: true });
  },
);

Deno.test("try ends with 2 and says why if nothing can be compared", options, async () => {
  const empty = await Deno.makeTempDir();
  const { code, stderr } = await tried(empty);
  assertEquals(code, 2);
  assertMatch(stderr, /has no package\.json: run this in the folder of a program/);
  await Deno.writeTextFile(`${empty}/package.json`, "{}");
  assertMatch((await tried(empty)).stderr, /There is no Express 4 or 5 in node_modules/);
  await Deno.mkdir(`${empty}/node_modules/cookie`, { recursive: true });
  assertMatch((await tried(empty)).stderr, /Neither this program nor its packages use Express 4 or 5/);
  await Deno.remove(empty, { recursive: true });
  const broken = await tried(folder, "--test", "node nothing.js");
  assertEquals(broken.code, 2);
  assertMatch(broken.stderr, /"node nothing\.js" ends with 1 on Express itself/);
  assertEquals((await tried(folder, "--port", "0")).code, 2);
});
