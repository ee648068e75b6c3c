import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import express from "express";
import type { AddressInfo } from "node:net";
import { ask, quietApp, serving } from "../support/app.ts";
import { opened, untilClosed } from "../support/raw_client.ts";

/** The page for an error with an engine's stack format. */
async function page(stack: unknown): Promise<string> {
  const app = quietApp();
  app.get("/", () => {
    throw Object.assign(new Error("told to nobody"), { stack });
  });
  return (await (await ask(app, "/")).text()).match(/<pre>(.*)<\/pre>/s)![1]!;
}

Deno.test("the page of an error begins with its message, on engines whose stacks do not", async () => {
  assertEquals(
    await page("answer@app.js:1:2\nwalk@app.js:3:4"),
    [
      "Error: told to nobody",
      "answer@app.js:1:2",
      "walk@app.js:3:4",
    ].join("<br>"),
  );
  assertEquals(await page(undefined), "Error: told to nobody");
});

Deno.test("an error whose stack is a list, as with the program's own prepareStackTrace, has its status and page", async () => {
  const prepare = (Error as { prepareStackTrace?: unknown }).prepareStackTrace;
  Object.assign(Error, {
    prepareStackTrace: (_error: Error, sites: unknown[]) => sites.slice(0, 1).map(() => "a site"),
  });
  try {
    for (const env of ["test", "development", "production"]) {
      const app = quietApp().set("env", env).on("error", () => {});
      app.get("/", (_req, _res, next) => next(Object.assign(new Error("told to nobody"), { status: 418 })));
      const response = await ask(app, "/", { headers: { accept: "text/html" } });
      const shown = (await response.text()).match(/<pre>(.*)<\/pre>/s)![1]!;
      assertEquals([env, response.status], [env, 418]);
      assertEquals(shown, env === "production" ? "I&#39;m a Teapot" : "Error: told to nobody<br>a site");
    }
  } finally {
    Object.assign(Error, { prepareStackTrace: prepare });
  }
  assertEquals(await page(["a site"]), "Error: told to nobody<br>a site");
});

Deno.test("the log of an error begins with its message, on engines whose stacks do not", async () => {
  const logged: unknown[] = [];
  const log = console.error;
  console.error = (error) => void logged.push(error);
  const failure = Object.assign(new Error("told to all"), { stack: "answer@app.js:1:2" });
  const app = quietApp().set("env", "production").get("/", (_req, _res, next) => next(failure));
  try {
    await (await ask(app, "/")).text();
  } finally {
    console.error = log;
  }
  assertEquals(logged, ["Error: told to all\nanswer@app.js:1:2"]);
});

Deno.test("a stack that begins with a message is shown as it is, even if the message was changed later", async () => {
  assertStringIncludes(await page("Error: told to nobody\n    at app.js:1:2"), "nobody<br> &nbsp; &nbsp;at app.js:1:2");
  assertEquals((await page("Error: before\n    at app.js:1:2")).startsWith("Error: before<br>"), true);
});

Deno.test("the page of a 404 shows the path encoded, as Express does", async () => {
  const theirs = express().set("env", "test").listen(0, "127.0.0.1");
  await new Promise((resolve) => theirs.once("listening", resolve));
  const shown = async (port: number, path: string): Promise<string | undefined> => {
    const client = await opened({ port }, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return (await untilClosed(client)).match(/<pre>(.*)<\/pre>/s)?.[1];
  };
  await serving(quietApp(), async (origin) => {
    for (const path of ['/<b>"x"?<q>', "/100%", "/a%zz%41", "/{a}|^b`", "/plain-'&;", "/%22"]) {
      const ours = await shown(Number(new URL(origin).port), path);
      assertEquals([path, ours], [path, await shown((theirs.address() as AddressInfo).port, path)]);
    }
  });
  await new Promise((resolve) => theirs.close(resolve));
});

Deno.test("an error sets Vary, as JSON and as a page, so that no cache serves one for the other", async () => {
  const app = quietApp();
  app.get("/fails", (_req, res) => {
    res.vary("Origin");
    throw new Error("told to nobody");
  });
  const varies = async (path: string, accept: string): Promise<string | null> => {
    const response = await ask(app, path, { headers: { accept } });
    await response.body?.cancel();
    return response.headers.get("vary");
  };
  const json = [await varies("/nowhere", "application/json"), await varies("/fails", "application/json")];
  assertEquals([...json, await varies("/nowhere", "text/html"), await varies("/fails", "text/html")], [
    "Accept",
    "Origin, Accept",
    "Accept",
    "Origin, Accept",
  ]);
});

/** The page for an error that a handler throws, as a string. */
async function shown(fail: () => unknown): Promise<string> {
  const app = quietApp().get("/", () => {
    throw fail();
  });
  const html = (await (await ask(app, "/")).text()).match(/<pre>(.*)<\/pre>/s)![1]!;
  return html.replaceAll("<br>", "\n").replaceAll(" &nbsp;", "  ").replaceAll("&quot;", '"').replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
}

/** The same page without this program's frames. */
async function withoutFrames(fail: () => unknown): Promise<string[]> {
  return (await shown(fail)).split("\n").filter((line) => !/^ +at /.test(line));
}

Deno.test("the page of an error shows the frames of the program, and counts those of Sluice", async () => {
  function inProgram(): Error {
    return new Error("told to nobody");
  }
  const lines = (await shown(inProgram)).split("\n");
  assertEquals(lines[0], "Error: told to nobody");
  assertMatch(lines[1]!, /^ {4}at inProgram \(.*error_page_test\.ts:\d+:\d+\)$/);
  assertMatch(lines[2]!, /^ {4}at .*error_page_test\.ts:\d+:\d+\)?$/);
  assertMatch(lines[3]!, /^ {4}… \d frames of Sluice$/);
  assertEquals(lines.some((line) => line.includes("/src/")), false);
});

Deno.test("frames between those of the program are counted where they are, with the runtime's behind them", async () => {
  const own = new URL("../../src/", import.meta.url).href;
  const stack = [
    "Error: told to nobody",
    "    at JSON.parse (<anonymous>)",
    `    at parse (${own}middleware/body/json.ts:1:2)`,
    "    at Array.map (<anonymous>)",
    "    at node:internal/process/task_queues:95:5",
    "    at handler (file:///program/app.js:3:4)",
    `    at async Walk.#call (${own}dispatch/walk.ts:5:6)`,
    "    at ext:core/01_core.js:588:9",
    "    at file:///program/src/dispatch/walk.ts:7:8",
  ];
  assertEquals(
    (await shown(() => Object.assign(new Error("told to nobody"), { stack: stack.join("\n") }))).split("\n"),
    [
      stack[0],
      stack[1],
      "    … 3 frames of Sluice",
      stack[5],
      "    … 2 frames of Sluice",
      stack[8],
    ],
  );
});

Deno.test("the page of an error shows what it was caused by, and the errors that it collects, each once", async () => {
  const cause = new AggregateError([new Error("one"), "two", { three: 3 }], "several", { cause: new Error("deeper") });
  assertEquals(
    (await withoutFrames(() => new Error("outer", { cause }))).filter((line) => !line.endsWith("of Sluice")),
    [
      "Error: outer",
      "Caused by: AggregateError: several",
      "Caused by: Error: deeper",
      "Error 1 of 3: Error: one",
      "Error 2 of 3: two",
      'Error 3 of 3: {"three":3}',
    ],
  );
});

Deno.test("causes that go in circles, without end, or are no errors are shown as far as they can be", async () => {
  const circle = new Error("circle");
  circle.cause = circle;
  const odd: Record<string, unknown> = {};
  odd["self"] = odd;
  let long = new Error("0");
  for (let i = 1; i < 50; i++) long = new Error(String(i), { cause: long });
  const heads = async (error: Error) => (await withoutFrames(() => error)).filter((line) => !line.includes("Sluice"));
  assertEquals(await heads(circle), ["Error: circle"]);
  assertEquals(await heads(new Error("odd", { cause: odd })), ["Error: odd", "Caused by: an object"]);
  assertEquals(await heads(new Error("none", { cause: null })), ["Error: none"]);
  const text = "x".repeat(1000);
  assertEquals(await heads(new Error("long", { cause: `${text}x` })), ["Error: long", `Caused by: ${text}…`]);
  const many = await heads(long);
  assertEquals([many.length, many.at(-1)], [11, "… and further errors"]);
});

Deno.test("in production neither the cause nor the stack of an error is shown, as a page or as JSON", async () => {
  const log = console.error;
  console.error = () => {};
  try {
    const app = quietApp().set("env", "production").get("/", () => {
      throw new Error("told to nobody", { cause: new Error("secret") });
    });
    for (const accept of ["text/html", "application/json"]) {
      const text = await (await ask(app, "/", { headers: { accept } })).text();
      assertEquals([/Internal Server Error/.test(text), /secret|told|Sluice|at /.test(text)], [true, false], text);
    }
  } finally {
    console.error = log;
  }
});
