import { assertEquals, assertStringIncludes } from "@std/assert";
import express from "express";
import type { AddressInfo } from "node:net";
import { ask, quietApp, serving } from "../support/app.ts";
import { opened, untilClosed } from "../support/raw_client.ts";

/** The page of an error with the stack format of some engine. */
async function page(stack: string | undefined): Promise<string> {
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
