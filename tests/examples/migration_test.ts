import { varyOf } from "../support/page_vary.ts";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { bundleForNode, packageFlags, skipNode } from "../support/node_program.ts";
import { type Program, startProgram } from "../support/program.ts";

const root = new URL("../../", import.meta.url);

/** A request in the script: method and path, a form or JSON to send, additional headers. */
type Step = readonly [string, { form?: Record<string, string>; json?: unknown; headers?: Record<string, string> }?];

const SCRIPTS: Readonly<Record<string, readonly Step[]>> = {
  mvc: [
    ["GET /"],
    ["GET /books"],
    ["HEAD /books"],
    ["GET /books?sort=year", { headers: { accept: "application/json" } }],
    ["GET /books", { headers: { accept: "image/png" } }],
    ["GET /books/2"],
    ["GET /books/1/edit"],
    ["PUT /books/1", { form: { "book[title]": "Middlemarch <2>" } }],
    ["GET /books/1"],
    ["GET /books/1"],
    ["POST /books/1?_method=put", { form: { "book[title]": "" } }],
    ["POST /books", { form: { "book[title]": "Orlando", "book[year]": "1928" } }],
    ["GET /books/4"],
    ["GET /books/99"],
    ["GET /readers/2"],
    ["DELETE /readers/1"],
    ["DELETE /readers/2"],
    ["GET /readers/2"],
    ["GET /library.css"],
    ["GET /library.css", { headers: { range: "bytes=0-3" } }],
    ["OPTIONS /books"],
    ["GET /%ff"],
    ["GET /<script>"],
  ],
  auth: [
    ["GET /"],
    ["GET /members"],
    ["GET /login"],
    ["GET /login"],
    ["POST /login", { form: { name: "ada", password: "wrong" } }],
    ["GET /login"],
    ["POST /login", { form: { name: "nobody", password: "engine" } }],
    ["POST /login", { form: { name: "ada", password: "engine" } }],
    ["GET /"],
    ["GET /members"],
    ["GET /members"],
    ["GET /members/me.json", { headers: { "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https" } }],
    ["PATCH /members/some/where"],
    ["POST /logout"],
    ["GET /members"],
    ["GET /nowhere"],
  ],
  rest: [
    ["GET /v1/tasks"],
    ["GET /v1/tasks?page=2"],
    ["GET /v1/tasks?page=none"],
    ["GET /v1/tasks?done=true"],
    ["GET /v1/tasks/3"],
    ["GET /v1/tasks/x"],
    ["GET /v1/tasks/77"],
    ["POST /v1/tasks", { json: { title: "  Sing  ", tags: ["loud"] } }],
    ["POST /v1/tasks", { json: { title: "", done: "yes", tags: [1, 2, 3, 4] } }],
    ["POST /v1/tasks", { headers: { "content-type": "application/json" } }],
    ["POST /v1/tasks", { json: { title: "x".repeat(2000) } }],
    ["POST /v1/tasks", { form: { title: "a form" } }],
    ["PUT /v1/tasks/4", { json: { title: "Sing again", done: true } }],
    ["GET /v1/tasks/4", { headers: { "if-none-match": "*" } }],
    ["GET /v1/tasks/1/tags"],
    ["GET /v1/tasks/1/tags/text"],
    ["GET /v1/tasks/1/tags/none"],
    ["DELETE /v1/tasks/4"],
    ["GET /v1/tasks/4"],
    ["PATCH /v1/tasks/1"],
    ["OPTIONS /v1/tasks/1"],
    ["HEAD /v1/tasks"],
    ["GET /V1/tasks"],
    ["GET /crash"],
  ],
};

/** Headers that describe the connection or the framework; Express on Deno sends no length for an empty body. */
const UNTOLD = /^(connection|date|keep-alive|transfer-encoding|x-powered-by|set-cookie)$|^content-length 0$/;

/** Runs a script like a browser with cookies, and returns its observations. */
async function play(origin: string, script: readonly Step[]): Promise<unknown[]> {
  const jar = new Map<string, string>();
  const seen: unknown[] = [];
  for (const [line, { form, json, headers }] of script.map(([line, with_]) => [line, with_ ?? {}] as const)) {
    const [method, path] = line.split(" ") as [string, string];
    const init: RequestInit & { headers: Record<string, string> } = {
      method,
      redirect: "manual",
      headers: { ...headers },
    };
    if (jar.size > 0) init.headers["cookie"] = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    if (form !== undefined) init.body = new URLSearchParams(form);
    if (json !== undefined) {
      init.body = JSON.stringify(json);
      init.headers["content-type"] = "application/json";
    }
    const response = await fetch(origin + path, init);
    const cookies = response.headers.getSetCookie();
    for (const cookie of cookies) {
      const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/)!;
      if (value === "") jar.delete(name!);
      else jar.set(name!, value!);
    }
    const vary = varyOf(response.headers.get("vary"), response.headers.get("content-security-policy"));
    const all = [...response.headers].filter(([name]) => name !== "vary");
    if (vary !== null) all.push(["vary", vary]);
    const told = all.filter(([name, value]) => !UNTOLD.test(name) && !UNTOLD.test(`${name} ${value}`));
    seen.push({
      line,
      status: response.status,
      // Express's tags use a different hash
      headers: Object.fromEntries(told.map(([name, value]) => [name, name === "etag" ? value.split("-")[0] : value])),
      // session ids and times differ from run to run
      cookies: cookies.map((cookie) =>
        cookie.replace(/=s%3A[^;]+/, "=…").replace(/Expires=(?!Thu, 01 Jan 1970)[^;]+/, "Expires=…")
      ),
      body: await response.text(),
    });
  }
  return seen;
}

function folderOf(name: string): string {
  return fileURLToPath(new URL(`examples/migration/${name}/`, root));
}

async function onDeno(name: string, variant: string): Promise<Program> {
  const args = ["run", "-A", "--quiet", ...await packageFlags(`${name}_${variant}`), `${variant}.js`];
  return await startProgram(Deno.execPath(), args, { cwd: folderOf(name), env: { PORT: "0", NODE_ENV: "production" } });
}

async function onNode(name: string, variant: string): Promise<Program> {
  const program = `examples/migration/${name}/${variant}.js`;
  const bundle = await (variant === "sluice" ? bundleForNode("@sluice/sluice/node", program) : bundleForNode(program));
  return await startProgram("node", [bundle], { cwd: folderOf(name), env: { PORT: "0", NODE_ENV: "production" } });
}

async function seenBy(program: Program, script: readonly Step[]): Promise<unknown[]> {
  await using running = program;
  return await play(`http://127.0.0.1:${running.line.match(/(\d+)$/)![1]}`, script);
}

for (const [name, script] of Object.entries(SCRIPTS)) {
  Deno.test(`the program "${name}" differs from its Express version only in the import line`, async () => {
    const [theirs, ours] = await Promise.all(
      ["express", "sluice"].map(async (variant) =>
        (await Deno.readTextFile(`${folderOf(name)}${variant}.js`)).split("\n")
      ),
    ) as [string[], string[]];
    const changed = theirs.flatMap((line, i) => line === ours[i] ? [] : [[line, ours[i]]]);
    assertEquals(changed, [['import express from "express";', 'import express from "@sluice/sluice";']]);
    assertEquals(ours.length, theirs.length);
  });

  for (const [runtime, start, ignore] of [["Deno", onDeno, false], ["Node", onNode, skipNode]] as const) {
    Deno.test(`the program "${name}" answers on ${runtime} as Express does`, { ignore }, async () => {
      const theirs = await seenBy(await start(name, "express"), script);
      const ours = await seenBy(await start(name, "sluice"), script);
      for (const [i, one] of theirs.entries()) assertEquals(ours[i], one);
    });
  }
}
