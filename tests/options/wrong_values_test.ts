/** Each option of each function, with values that no option accepts. */
import { assert, assertEquals } from "@std/assert";
import { csrf } from "@sluice/middleware/csrf";
import { compress } from "@sluice/middleware/compress";
import { requestId } from "@sluice/middleware/request-id";
import { session } from "@sluice/middleware/session";
import { openapi, validate } from "@sluice/openapi";
import { generateClient } from "@sluice/openapi/generate";
import { openapiPages } from "@sluice/openapi/pages";
import { z } from "zod";
import { DOORS, type Given, INFO, quiet } from "./doors.ts";

const WRONG: Readonly<Record<string, unknown>> = {
  "null": null,
  "a bigint": 1n,
  "a list": [{ wrong: 1n }],
  "an object": { wrong: 1n },
};

/** Options that accept one of them, or fail for another reason first. */
const EXCEPT: Readonly<Record<string, readonly string[] | "all">> = {
  "app.listen": ["hostname", "host", "reusePort", "backlog"],
  // any value counts as true or false, as in Express
  "router.group": "all",
  durableSockets: ["headers", "autoResponse"],
  // the limiter's message sends any object as JSON, and max is called limit
  "rateLimit of the core": ["message", "max", "validate"],
  "rateLimit of @sluice/rate-limit": ["message", "max", "validate", "limits"],
  fetchLimit: ["message", "max", "validate", "limits"],
  Limiter: ["max", "limits"],
  "limiter.consume": ["policy"],
  "limiter.peek": ["policy"],
  // the fake client is refused first
  DenoKvStore: "all",
  fromCounter: ["init"],
  // null counts as absent
  compress: ["threshold", "level"],
};

for (const [name, door] of Object.entries(DOORS)) {
  if (EXCEPT[name] === "all") continue;
  Deno.test(`${name} refuses values of a wrong type, and names the option and what it wants`, async () => {
    const refusals: string[] = [];
    for (const option of await namesOf(door)) {
      if (EXCEPT[name]?.includes(option)) continue;
      for (const [kind, value] of Object.entries(WRONG)) {
        const message = await refusal(() => door({ [option]: value }));
        const isNamed = message.includes(option.replace(/s$/, ""));
        if (!isNamed || /^accepted$|Cannot (read|convert|destructure)|is not iterable/.test(message)) {
          refusals.push(`${option}, ${kind}: ${message}`);
        }
      }
    }
    assertEquals(refusals, []);
  });
}

async function namesOf(door: (options: Given) => unknown): Promise<readonly string[]> {
  const [, list] = /there are (.*)$/.exec(await refusal(() => door({ nonsense: 1 }))) ?? [];
  assert(list !== undefined);
  return list.split(", ");
}

async function refusal(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return error.message;
    throw error;
  }
  return "accepted";
}

/** Values inside options. */
const INSIDE: readonly (readonly [call: () => unknown, message: string])[] = [
  ...[session, (options: Given) => csrf({ token: options })].flatMap((make) => {
    const of = (cookie: Given) => () => make({ secret: "a secret of at least 32 characters", cookie });
    return [
      [of({ domain: "a b" }), 'option cookie.domain must be the name of a host, such as "example.com", not "a b"'],
      [of({ path: "notes" }), 'option cookie.path must be an escaped URL path that begins with /, not "notes"'],
      [of({ path: "/;" }), 'option cookie.path must be an escaped URL path that begins with /, not "/;"'],
      [of({ priority: "higher" }), 'option cookie.priority must be "low", "medium" or "high", not "higher"'],
      [of({ partitioned: "yes" }), 'option cookie.partitioned must be true or false, not "yes"'],
      [of({ partitioned: true, secure: false }), "refuse a cookie with partitioned unless it is secure"],
      [of([]), "must be an object"],
    ] as const;
  }),
  [
    () => compress({ threshold: "big" }),
    'compress: option threshold must be a number of bytes or a string such as "100',
  ],
  [() => compress([] as Given), "compress: options must be an object, not an empty array"],
  [() => validate({ response: { ok: z.string() } } as Given), "validate: option response has statuses such as 404"],
  [() => validate({ serialization: { query: { ids: null } } } as Given), "option serialization.query.ids must be an"],
  [
    () => openapi(quiet(), INFO, { servers: [{}] } as Given),
    "openapi: option servers[0].url must be a string, not und",
  ],
  [
    () => openapi(quiet(), INFO, { securitySchemes: { bearer: { type: "bearer" } } }),
    'openapi: option securitySchemes.bearer.type must be one of apiKey, http, mutualTLS, oauth2, openIdConnect, not "b',
  ],
  [() => openapi(quiet(), { ...INFO, license: {} } as Given), "option license.name must be a string, not undefined"],
  [() => openapiPages(quiet(), INFO, null as Given), "openapiPages: option options must be an object, not null"],
  [() => generateClient(quiet(), { document: {} as Given }), "option document must be what openapi(app, info) returns"],
];

for (const [call, message] of INSIDE) {
  Deno.test(`a value inside an option is refused at once: ${message}`, async () => {
    assert((await refusal(call)).includes(message), await refusal(call));
  });
}

/** Middleware with functions that decide at once. */
const DECIDING: Readonly<Record<string, (decide: Given) => Given>> = {
  "requestId: option trust": (trust) => requestId({ trust }),
  "session: option when": (when) => session({ secret: "a secret of at least 32 characters", when }),
  "compress: option filter": (filter) => compress({ filter }),
};

for (const [name, make] of Object.entries(DECIDING)) {
  Deno.test(`${name} may not return a promise, which would always count as true`, async () => {
    const app = quiet().set("etag", false);
    // the error page has a filter, too
    const errors = new Set<string>();
    app.on("error", ({ message }: Error) => errors.add(message));
    app.use(make(() => Promise.resolve(false)));
    app.get("/", (_req, res) => void res.send("a page"));
    const { status } = await app.inject("/", { headers: { "X-Request-Id": "of-another" } });
    assertEquals([status, ...errors], [500, `${name} must return true or false synchronously, not a promise`]);
  });
}
