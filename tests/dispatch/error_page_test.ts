import { assertEquals, assertStringIncludes } from "@std/assert";
import { ask, quietApp } from "../support/app.ts";

/** The page of an error with a stack as some engine writes it. */
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

Deno.test("a stack that begins with a message is shown as it is, even if the message was changed later", async () => {
  assertStringIncludes(await page("Error: told to nobody\n    at app.js:1:2"), "nobody<br> &nbsp; &nbsp;at app.js:1:2");
  assertEquals((await page("Error: before\n    at app.js:1:2")).startsWith("Error: before<br>"), true);
});
