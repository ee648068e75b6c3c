/** Console output for unhandled errors in production. */
import { assertEquals } from "@std/assert";
import sluice from "@sluice/sluice";

async function written(error: unknown): Promise<unknown> {
  const lines: unknown[] = [];
  const { error: log } = console;
  console.error = (given) => lines.push(given);
  try {
    const app = sluice().set("env", "production").get("/", () => {
      throw error;
    });
    await (await app.inject("/")).text();
  } finally {
    console.error = log;
  }
  assertEquals(lines.length, 1);
  return lines[0];
}

Deno.test("an error without secrets is written itself", async () => {
  const error = Object.assign(new Error("outer", { cause: new Error("inner") }), { code: "E", status: 500 });
  assertEquals(await written(error) === error, true);
});

Deno.test("one with a secret in it, or a property that may be input, is written as a text without", async () => {
  const secret = "hunter-2";
  for (
    const error of [
      new Error(`cannot reach redis://:${secret}@localhost`),
      new Error("failed", { cause: new Error(`GET /?token=${secret} is 404`) }),
      Object.assign(new Error("failed"), { body: secret }),
      new Error("failed", { cause: Object.assign(new Error("wrong"), { command: { args: [secret] } }) }),
      new AggregateError([Object.assign(new Error("wrong"), { input: secret })], "several"),
      { password: secret },
      `password=${secret}`,
    ]
  ) {
    const line = await written(error);
    assertEquals([typeof line, String(line).includes(secret)], ["string", false], String(line));
  }
});
