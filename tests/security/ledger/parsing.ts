import { validate } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import { ask, quietApp } from "../../support/app.ts";
import type { Theme } from "./flaw.ts";
import { quickly } from "./quickly.ts";

type Extended = Record<string, unknown>;

/** An application that returns parsed queries and forms. */
function parserApp(): FrameworkApp {
  const app = quietApp().set("query parser", "extended");
  app.get("/", (req, res) => res.json(req.query));
  app.post("/", sluice.urlencoded({ extended: true, limit: "1mb" }), (req, res) => res.json(req.body));
  return app;
}

function formOf(body: string): RequestInit {
  return { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } };
}

async function queried(query: string): Promise<Extended> {
  return await (await ask(parserApp(), `/?${query}`)).json();
}

async function posted(body: string): Promise<[number, Extended]> {
  const response = await ask(parserApp(), "/", formOf(body));
  return [response.status, response.ok ? await response.json() : (await response.body?.cancel(), {})];
}

/** An application with a route whose body must be `{ "role": "user" }`, and the bodies its handler got. */
function validating(): { app: FrameworkApp; got: unknown[] } {
  const got: unknown[] = [];
  const app = quietApp();
  const schema = { body: z.object({ role: z.literal("user") }) };
  app.post(
    "/",
    sluice.json(),
    validate(schema, (req, res) => {
      got.push(req.body);
      res.send("done");
    }),
  );
  return { app, got };
}

async function typed(type: string, body: string): Promise<{ status: number; got: unknown[] }> {
  const { app, got } = validating();
  const response = await ask(app, "/", { method: "POST", body, headers: { "content-type": type } });
  await response.body?.cancel();
  return { status: response.status, got };
}

const USER = '{"role":"user"}';
const ADMIN = '{"role":"admin"}';

/** Queries, forms, JSON, and the choice of body parser. */
export const parsing: Theme = {
  title: "Queries, forms and JSON",
  file: "parsing.ts",
  flaws: [
    {
      identifiers: ["CVE-2022-24999", "GHSA-hrpp-h998-j3pp"],
      package: "qs",
      flaw:
        "`a[__proto__]=b&a[length]=100000000` replaced a prototype and made an object that looked like a huge array.",
      here: "a name `__proto__` in a query or a form changes no prototype, and a `length` creates no array",
      async attack() {
        const attack =
          "a[__proto__]=b&a[__proto__]&a[length]=100000000&__proto__[polluted]=1&constructor[prototype][x]=1";
        const query = await quickly(() => queried(attack));
        const [status, form] = await quickly(() => posted(attack));
        assertEquals(status, 200);
        for (const parsed of [query, form]) assert(!Array.isArray(parsed["a"]), JSON.stringify(parsed));
        const plain: Extended = {};
        assertEquals([plain["polluted"], plain["x"], Object.keys(Object.prototype)], [undefined, undefined, []]);
      },
    },
    {
      identifiers: ["CVE-2025-15284", "GHSA-6rw7-vpxm-498p"],
      package: "qs",
      flaw: "`arrayLimit` did not apply to `a[]=1&a[]=2`.",
      here: "a query has at most 1000 values, however they are written, and a form with more gets 413",
      async attack() {
        const attack = Array(5000).fill("a[]=1").join("&");
        const { a } = await queried(attack) as { a: unknown };
        assert(Object.keys(a as object).length <= 1000);
        assertEquals((await posted(attack))[0], 413);
      },
    },
    {
      identifiers: ["CVE-2026-82562", "GHSA-x5fp-wj9c-mxmx"],
      package: "qs",
      flaw: "A value with commas became an array of unlimited length.",
      here: "commas in a value do not separate anything",
      async attack() {
        const value = Array(2000).fill("1").join(",");
        assertEquals(await queried(`a[]=${value}`), { a: [value] });
        assertEquals(await posted(`a=${value}`), [200, { a: value }]);
      },
    },
    {
      identifiers: ["CVE-2024-45590", "GHSA-qwcr-r2fm-qrc7"],
      package: "body-parser",
      flaw: "Extended forms could be nested without limit, which cost time and memory.",
      here: "an extended form with more than 32 levels gets 400",
      async attack() {
        assertEquals((await quickly(() => posted(`a${"[a]".repeat(20_000)}=1`)))[0], 400);
        assertEquals((await posted(`a${"[a]".repeat(33)}=1`))[0], 400);
      },
    },
    {
      identifiers: ["CVE-2025-13466", "GHSA-wqch-xfxh-vrr4"],
      package: "body-parser",
      flaw: "Forms with thousands of parameters within the size limit cost too much time and memory.",
      here: "a form with more than 1000 parameters gets 413 before it is parsed",
      async attack() {
        for (const one of ["a=1", "a", ""]) {
          const body = Array.from({ length: 90_000 }, () => one).join("&");
          const [status, parsed] = await quickly(() => posted(body));
          assertEquals([one, status, parsed], [one, 413, {}]);
        }
      },
    },
    {
      identifiers: ["CVE-2026-12590", "GHSA-v422-hmwv-36x6"],
      package: "body-parser",
      flaw: "An invalid `limit`, such as NaN or a string that is not a size, disabled the limit.",
      here: "creating a parser with an invalid `limit` throws",
      attack() {
        for (const limit of [NaN, "abc", "", "-1kb", {}, "1 mb of text"]) {
          for (const parser of [sluice.json, sluice.urlencoded, sluice.text, sluice.raw]) {
            assertThrows(() => parser({ limit: limit as number }), TypeError, "limit");
          }
        }
      },
    },
    {
      identifiers: ["CVE-2025-66456"],
      package: "elysia",
      flaw: "Merging validated values with `__proto__` as a key changed Object.prototype.",
      here: "a key `__proto__` in JSON changes no prototype, validated or not",
      async attack() {
        const app = quietApp();
        app.use(sluice.json());
        app.post("/plain", (req, res) => res.json(Object.getPrototypeOf(req.body) === Object.prototype));
        const schema = { body: z.looseObject({ a: z.number() }), query: z.looseObject({}) };
        app.post("/valid", validate(schema, (req, res) => res.json([(req.body as Extended)["admin"] ?? null])));
        const init = {
          method: "POST",
          body: '{"a":1,"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
          headers: { "content-type": "application/json" },
        };
        assertEquals(await (await ask(app, "/plain", init)).json(), true);
        assertEquals(await (await ask(app, "/valid?__proto__=1", init)).json(), [null]);
        assertEquals(({} as Extended)["admin"], undefined);
      },
    },
    {
      identifiers: [
        "CVE-2025-32442",
        "GHSA-mg2h-6x62-wpwc",
        "CVE-2026-25223",
        "GHSA-jx2c-rxcm-jvmq",
        "CVE-2026-33806",
      ],
      package: "fastify",
      flaw: "A content type in another case, or with a space or a tab, was parsed as JSON but not validated.",
      here: "every spelling of a content type that is parsed is also validated",
      async attack() {
        const types = [
          "Application/JSON",
          "application/json ;charset=utf-8",
          "application/json\t;charset=utf-8",
          "application/json\tx",
          " application/json",
          "application/json;",
          "application/json;charset=utf-8;charset=utf-16",
        ];
        for (const type of types) {
          const { status, got } = await typed(type, ADMIN);
          assertEquals([type, status >= 400 && status < 500, got], [type, true, []]);
        }
        assertEquals(await typed("Application/JSON ; charset=UTF-8", USER), { status: 200, got: [{ role: "user" }] });
      },
    },
    {
      identifiers: ["CVE-2026-3419", "GHSA-573f-x89g-hqp9"],
      package: "fastify",
      flaw: "`application/json garbage` was accepted as `application/json`.",
      here: "no parser accepts a malformed content type",
      async attack() {
        for (const type of ["application/json garbage", "application/json,text/plain", "application/json/x"]) {
          const { status, got } = await typed(type, USER);
          assertEquals([type, status >= 400 && status < 500, got], [type, true, []]);
        }
      },
    },
    {
      identifiers: ["CVE-2022-39288", "GHSA-455w-c45v-86rg"],
      package: "fastify",
      flaw: "An invalid content type crashed the process.",
      here: "an invalid content type is a client error",
      async attack() {
        for (const type of ["", "/", ";", "application/", "__proto__", "constructor", "toString/x", "\xff/\xff"]) {
          const { status, got } = await typed(type, USER);
          assertEquals([type, status >= 400 && status < 500, got], [type, true, []]);
        }
      },
    },
    {
      identifiers: ["CVE-2022-41919", "GHSA-3fjj-p79j-c9hh"],
      package: "fastify",
      flaw:
        "Pages of other sites could send JSON without a preflight, with a type such as `text/plain; application/json`.",
      here: "JSON is not parsed from a content type that a form can send",
      async attack() {
        const essences = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
        for (const essence of essences) {
          for (const rest of ["; application/json", ";a=application/json", ", application/json"]) {
            const { status, got } = await typed(essence + rest, USER);
            assertEquals([essence + rest, status >= 400 && status < 500, got], [essence + rest, true, []]);
          }
        }
      },
    },
    {
      identifiers: ["CVE-2026-22036", "GHSA-g9mf-h72j-4rw9"],
      package: "undici",
      flaw: "Any number of chained content codings was decoded, one after another.",
      here: "a body with more than one content coding gets 415",
      async attack() {
        for (const coding of ["gzip, gzip", Array(1000).fill("gzip").join(", "), "gzip, identity, gzip"]) {
          const headers = { "content-type": "application/json", "content-encoding": coding };
          const response = await quickly(() => ask(validating().app, "/", { method: "POST", body: USER, headers }));
          await response.body?.cancel();
          assertEquals(response.status, 415);
        }
      },
    },
  ],
};
