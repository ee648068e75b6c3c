/**
 * Limits keyed by a name from a body: the documentation's examples get guesses in all spellings, and bodies of all
 * kinds.
 */
import type { FastifyInstance } from "fastify";
import { assert, assertEquals } from "@std/assert";
import type { FrameworkApp } from "@sluice/sluice";
import { LOCAL, sent } from "./support/attacks.ts";
import { defined, documentedExamples } from "./support/documented_guards.ts";

/** Spellings that a login treats as one name if it ignores case, surrounding spaces, and compatibility characters. */
const SPELLINGS = ["ann", "Ann", "ANN", "aNN", " ann", "ann ", "\tANN\n", "\uff41nn"];

/** Bodies that are not a login, or that have a name that makes functions fail. */
const HOSTILE = [
  ...[
    '{"N":{"toString":1}}',
    '{"N":{"toString":null,"valueOf":null}}',
    '{"N":{"toLowerCase":1}}',
    '{"N":{"length":1e9}}',
  ],
  ...['{"N":["ann"]}', '{"N":[{"toString":1}]}', '{"N":null}', '{"N":1}', '{"N":true}', '{"N":""}', '{"N":"\\ud800"}'],
  ...['{"N":" "}', '{"__proto__":{"N":"ann"}}', "{}", "[]", "[1]", "", "null", '"ann"', "{"],
];

const LOGINS: readonly { file: string; part: string; name: string; limit: number }[] = [
  { file: "docs/limits/reference/clients.md", part: "nameOf(req.body?.user)", name: "user", limit: 5 },
  { file: "advanced/src/http/request_client_key.ts", part: "nameOf(req.body?.user)", name: "user", limit: 5 },
  { file: "limiting/client_key.ts", part: "nameOf(req.body?.user)", name: "user", limit: 5 },
  { file: "docs/limits/login.md", part: "nameOf(req.body?.name)", name: "name", limit: 5 },
];

/** Number of admitted requests, with eight sent for every spelling, and the worst status for other bodies. */
async function attacked(post: (body: string) => Promise<number>, name: string) {
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) {
    for (const spelling of SPELLINGS) statuses.push(await post(JSON.stringify({ [name]: spelling, password: `${n}` })));
  }
  const failed: string[] = [];
  for (const body of HOSTILE) {
    const status = await post(body.replaceAll('"N"', JSON.stringify(name)));
    if (status >= 500) failed.push(`${status} for ${body}`);
  }
  return { guesses: statuses.filter((status) => status !== 429).length, failed };
}

for (const { file, part, name, limit } of LOGINS) {
  Deno.test(`the login of ${file} counts all spellings of a name as one, and no body makes it fail`, async () => {
    const { app }: { app: FrameworkApp } = await defined(file, part, ["app"]);
    app.set("env", "test");
    // some examples have no handler
    app.post("/login", (_req, res) => res.sendStatus(401));
    const post = async (body: string) => {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        ...(body === "" ? {} : { body }),
      };
      const response = await app.handle(sent("/login", init), LOCAL);
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await attacked(post, name), { guesses: limit, failed: [] });
  });
}

Deno.test("the login of Fastify's example counts all spellings of a name as one, and no body makes it fail", async () => {
  const { app }: { app: FastifyInstance } = await defined(
    "docs/limits/reference/frameworks.md",
    "preHandler",
    ["app"],
    {
      before: "// deno-lint-ignore-file",
    },
  );
  const post = async (payload: string) => {
    const headers = { "content-type": "application/json" };
    return (await app.inject({ method: "POST", url: "/login", headers, payload })).statusCode;
  };
  try {
    assertEquals(await attacked(post, "user"), { guesses: 5, failed: [] });
  } finally {
    await app.close();
  }
});

/** Examples that check the input before it becomes a key. */
const CHECKED: Readonly<Record<string, string>> = {
  "docs/tutorial/5-sessions.md": "validate({ body: Account }),\n    guessing",
  "docs/limits/reference/frameworks.md": "schema: { body:",
};

Deno.test("no example makes a key of what a body has, unless it was checked or is made one spelling", () => {
  const asItIs = /(?:\$\{|String\()[^`]*?(?<!nameOf\([\w.?]*)\bbody\b/;
  const found = documentedExamples().filter(({ code, file }) => {
    const keys = code.split("\n").filter((line) => /keyGenerator|clientKey\(|fields:/.test(line));
    const unchecked = CHECKED[file] === undefined || !code.includes(CHECKED[file]);
    return unchecked && keys.some((line) => asItIs.test(line));
  });
  assertEquals(found.map(({ file, code }) => `${file}: ${code}`), []);
  assert(asItIs.test("keyGenerator: (req) => `${clientKey(req)}:${req.body.user}`"));
  assert(!asItIs.test("keyGenerator: (req) => `${clientKey(req)}:${nameOf(req.body?.user)}`"));
});
