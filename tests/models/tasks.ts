/**
 * Twenty tasks as users give them to a language model, each with a check for the resulting program. They predate
 * `llms-small.txt`, and `tasks_test.ts` uses them to measure that file.
 */
import type { FrameworkApp } from "@sluice/sluice";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serving } from "../support/app.ts";
import { until } from "../support/until.ts";

/** A solution module's exports, as its task requires. */
// deno-lint-ignore no-explicit-any -- each task has different arguments
export type Solution = Record<string, any>;

export interface Task {
  /** The solution's file name. */
  readonly name: string;
  /** The user's prompt. */
  readonly asked: string;
  /** Checks a solution. */
  check(solution: Solution): Promise<void>;
}

const JSON_TYPE = { "content-type": "application/json" };

function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) };
}

async function statusAndBody(app: FrameworkApp, path: string, init?: RequestInit): Promise<[number, unknown]> {
  const response = await app.inject(path, init as never);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return [response.status, isJson ? JSON.parse(text) : text];
}

/** A browser's cookies for one application. */
function visitor(app: FrameworkApp): (path: string, init?: RequestInit) => Promise<Response> {
  const jar = new Map<string, string>();
  return async (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await app.inject(path, { ...init, headers } as never);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/)!;
      jar.set(name!, value!);
    }
    return response;
  };
}

export const TASKS: readonly Task[] = [
  {
    name: "notes",
    asked: "Export createApp(), a JSON API for notes in memory. POST /notes with {text} answers 201 with {id, text}; " +
      "GET /notes lists them; GET, PUT (replaces the text) and DELETE (204) at /notes/:id. Whatever does not exist, " +
      'notes and other paths alike, is 404 with {"error":"Not found"}. Bodies over 10 kB are 413.',
    async check({ createApp }) {
      const app = createApp();
      assertEquals(await statusAndBody(app, "/notes", post({ text: "a" })), [201, { id: 1, text: "a" }]);
      assertEquals(await statusAndBody(app, "/notes"), [200, [{ id: 1, text: "a" }]]);
      const put = { ...post({ text: "b" }), method: "PUT" };
      assertEquals(await statusAndBody(app, "/notes/1", put), [200, { id: 1, text: "b" }]);
      assertEquals((await statusAndBody(app, "/notes/1", { method: "DELETE" }))[0], 204);
      for (const path of ["/notes/1", "/elsewhere"]) {
        assertEquals(await statusAndBody(app, path), [404, { error: "Not found" }]);
      }
      assertEquals((await statusAndBody(app, "/notes", post({ text: "x".repeat(11_000) })))[0], 413);
    },
  },
  {
    name: "validation",
    asked:
      "Export createApp(). POST /users takes {name, age} as JSON, and GET /users takes ?page. Validate with zod: " +
      "name has 1 to 50 characters, age is an integer of at least 18, page is a whole number from 1 on and 1 by " +
      "default. Invalid requests are 422. POST answers 201 with the user, GET with {page: <the number>}.",
    async check({ createApp }) {
      const app = createApp();
      const ann = { name: "Ann", age: 30 };
      assertEquals(await statusAndBody(app, "/users", post(ann)), [201, ann]);
      for (const body of [{ name: "", age: 30 }, { name: "Ann", age: 17 }, { name: "Ann", age: "30" }, {}]) {
        assertEquals((await statusAndBody(app, "/users", post(body)))[0], 422, JSON.stringify(body));
      }
      assertEquals(await statusAndBody(app, "/users"), [200, { page: 1 }]);
      assertEquals(await statusAndBody(app, "/users?page=3"), [200, { page: 3 }]);
      assertEquals((await statusAndBody(app, "/users?page=0"))[0], 422);
    },
  },
  {
    name: "api_keys",
    asked:
      "Export createApp(). Clients send X-API-Key; only the keys alpha and beta exist, anything else is 401. Each " +
      "key gets 5 requests a minute, and 429 with Retry-After beyond that. GET /data answers {key}.",
    async check({ createApp }) {
      const app = createApp();
      const ask = (key: string) => app.inject("/data", { headers: { "x-api-key": key } });
      assertEquals((await app.inject("/data")).status, 401);
      assertEquals((await ask("gamma")).status, 401);
      for (let i = 0; i < 5; i++) assertEquals(await (await ask("alpha")).json(), { key: "alpha" });
      const refused = await ask("alpha");
      assertEquals(refused.status, 429);
      assert(Number(refused.headers.get("retry-after")) > 0);
      assertEquals((await ask("beta")).status, 200);
    },
  },
  {
    name: "login_attempts",
    asked: "Export createApp(). POST /login with {name, password} as JSON; the only account is ann with the password " +
      "secret: 200 {ok: true}, otherwise 401. After 3 wrong passwords for a name it is 429 for 15 minutes, whatever " +
      "the password; right ones never count.",
    async check({ createApp }) {
      const app = createApp();
      const login = async (name: string, password: string) =>
        (await statusAndBody(app, "/login", post({ name, password })))[0];
      for (let i = 0; i < 5; i++) assertEquals(await login("ann", "secret"), 200);
      for (let i = 0; i < 3; i++) assertEquals(await login("ann", "wrong"), 401);
      assertEquals(await login("ann", "secret"), 429);
      assertEquals(await login("ben", "x"), 401);
    },
  },
  {
    name: "events",
    asked:
      "Export createApp(). GET /events is a stream of server-sent events with a clock: every 20 ms an event with a " +
      "rising id (1, 2, …) and data {n: <id>}. A client that connects again goes on after its Last-Event-ID. The timer " +
      "of a client ends when it disconnects; GET /clients answers {open: <how many are connected>}.",
    async check({ createApp }) {
      await serving(createApp(), async (origin) => {
        const response = await fetch(`${origin}/events`, { headers: { "last-event-id": "5" } });
        assertMatch(response.headers.get("content-type")!, /^text\/event-stream/);
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        while (!text.includes("id: 7")) text += (await reader.read()).value ?? assert(false, "the stream has ended");
        assertMatch(text, /id: 6\n(?:.*\n)*?data: \{"n":6\}\n\n/);
        assertEquals(await (await fetch(`${origin}/clients`)).json(), { open: 1 });
        await reader.cancel();
        await until(async () => (await (await fetch(`${origin}/clients`)).json()).open === 0, "the client has left");
      });
    },
  },
  {
    name: "chat",
    asked:
      "Export createApp(). A chat over WebSockets: what somebody sends to /rooms/:room goes to everybody in that " +
      "room, the sender included, as JSON {from, text}. The name is the query's ?name=, and without one the handshake " +
      "is refused with 400.",
    async check({ createApp }) {
      await serving(createApp(), async (origin) => {
        const handshake = {
          "upgrade": "websocket",
          "connection": "Upgrade",
          "sec-websocket-version": "13",
          "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        };
        assertEquals((await createApp().inject("/rooms/tea", { headers: handshake })).status, 400);
        const join = (room: string, name: string) =>
          new Promise<{ socket: WebSocket; heard: string[] }>((resolve, reject) => {
            const socket = new WebSocket(`${origin.replace("http", "ws")}/rooms/${room}?name=${name}`);
            const heard: string[] = [];
            socket.onmessage = ({ data }) => void heard.push(data);
            socket.onopen = () => resolve({ socket, heard });
            socket.onerror = reject;
          });
        const [ann, ben, cyd] = await Promise.all([join("tea", "ann"), join("tea", "ben"), join("ale", "cyd")]);
        ann.socket.send("hello");
        await until(() => ann.heard.length + ben.heard.length === 2, "both have heard it");
        assertEquals(JSON.parse(ben.heard[0]!), { from: "ann", text: "hello" });
        assertEquals(cyd.heard, []);
        for (const { socket } of [ann, ben, cyd]) {
          const closed = new Promise((resolve) => socket.onclose = resolve);
          socket.close();
          await closed;
        }
      });
    },
  },
  {
    name: "avatar",
    asked:
      "Export createApp(). POST /avatar takes a form with one file in the field avatar, a PNG or JPEG of at most " +
      "100 kB: 200 with {name, size}. Larger is 413, another type 415, no file 400.",
    async check({ createApp }) {
      const app = createApp();
      const send = async (file?: File) => {
        const form = new FormData();
        if (file === undefined) form.set("other", "x");
        else form.set("avatar", file);
        return await statusAndBody(app, "/avatar", { method: "POST", body: form });
      };
      const png = (size: number) => {
        const bytes = new Uint8Array(size);
        bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
        return new File([bytes], "me.png", { type: "image/png" });
      };
      assertEquals(await send(png(2000)), [200, { name: "me.png", size: 2000 }]);
      assertEquals((await send(png(200_000)))[0], 413);
      assertEquals((await send(new File(["x"], "me.txt", { type: "text/plain" })))[0], 415);
      assertEquals((await send())[0], 400);
    },
  },
  {
    name: "sessions",
    asked: "Export createApp(). POST /login with the form field name starts a session and redirects to /me with 303; " +
      "GET /me answers {name}, or 401; POST /logout ends the session with 204. The cookie is for HTTP only, and lasts " +
      "30 minutes.",
    async check({ createApp }) {
      const ask = visitor(createApp());
      assertEquals((await ask("/me")).status, 401);
      const login = await ask("/login", { method: "POST", body: new URLSearchParams({ name: "ann" }) });
      assertEquals([login.status, login.headers.get("location")], [303, "/me"]);
      assertMatch(login.headers.getSetCookie().join(), /HttpOnly/i);
      assertMatch(login.headers.getSetCookie().join(), /Max-Age=1800|Expires=/i);
      assertEquals(await (await ask("/me")).json(), { name: "ann" });
      assertEquals((await ask("/logout", { method: "POST" })).status, 204);
      assertEquals((await ask("/me")).status, 401);
    },
  },
  {
    name: "csrf",
    asked:
      "Export createApp(). GET /form is an HTML page with a form that posts a note to /notes; POST /notes answers " +
      "with the text. Posts that other sites make a visitor's browser send are refused with 403; those of the page, and " +
      "of clients that are no browsers, are not. Text of visitors in the page is escaped: GET /form?hint=<b> shows it.",
    async check({ createApp }) {
      const app = createApp();
      const page = await (await app.inject("/form?hint=%3Cb%3E")).text();
      assertStringIncludes(page, "&lt;b&gt;");
      assertMatch(page, /<form[^>]*method="?post"?/i);
      const send = async (headers: Record<string, string>) =>
        (await app.inject("http://notes.test/notes", {
          method: "POST",
          headers: { host: "notes.test", ...headers },
          body: new URLSearchParams({ text: "a" }),
        })).status;
      assertEquals(await send({ "sec-fetch-site": "cross-site", "origin": "https://evil.test" }), 403);
      assertEquals(await send({ "sec-fetch-site": "same-origin", "origin": "http://notes.test" }), 200);
      assertEquals(await send({}), 200);
    },
  },
  {
    name: "errors",
    asked:
      "Export createApp(). Every response has X-Request-Id: the client's, if it sent one, or a new one. All errors " +
      "are JSON {error, requestId}. GET /missing throws a 404 whose message the client sees, GET /broken throws an " +
      'unexpected Error("database password is 1234") in an async function: the client gets 500 and "Internal Server ' +
      'Error", and nothing else.',
    async check({ createApp }) {
      const app = createApp().set("env", "test");
      const headers = { "x-request-id": "abc-123" };
      assertEquals(await statusAndBody(app, "/broken", { headers }), [
        500,
        { error: "Internal Server Error", requestId: "abc-123" },
      ]);
      const missing = await app.inject("/missing");
      const { error, requestId } = await missing.json();
      assertEquals([missing.status, missing.headers.get("x-request-id")], [404, requestId]);
      assert(error.length > 0 && requestId.length > 8);
      assertEquals((await statusAndBody(app, "/nowhere", { headers }))[0], 404);
    },
  },
  {
    name: "document",
    asked:
      "Export createApp(). GET /books/:id (id is an integer) answers {id, title}, and its OpenAPI document, titled " +
      '"Books", version 1.0.0, is at /docs/openapi.json: with the parameter, its type, the schema of the response, and ' +
      "the operation id getBook.",
    async check({ createApp }) {
      const app = createApp();
      assertEquals((await statusAndBody(app, "/books/7"))[0], 200);
      assertEquals((await statusAndBody(app, "/books/seven"))[0], 400);
      const document = await (await app.inject("/docs/openapi.json")).json();
      assertEquals(document.info, { title: "Books", version: "1.0.0" });
      const { operationId, parameters, responses } = document.paths["/books/{id}"].get;
      assertEquals(operationId, "getBook");
      assertEquals([parameters[0].name, parameters[0].in, parameters[0].schema.type], ["id", "path", "integer"]);
      assert(JSON.stringify([responses["200"], document.components]).includes('"title"'));
    },
  },
  {
    name: "health",
    asked:
      "Export createApp(check), where check is an async function that throws when the database is down. GET /livez " +
      "is 200 as long as the process runs; GET /readyz is 200, or 503 when the check fails. GET /metrics has the " +
      "Prometheus text format. GET / answers ok.",
    async check({ createApp }) {
      let isUp = true;
      const app = createApp(() => isUp ? Promise.resolve() : Promise.reject(new Error("no database")));
      app.set("env", "test");
      assertEquals(await statusAndBody(app, "/"), [200, "ok"]);
      assertEquals((await statusAndBody(app, "/readyz"))[0], 200);
      isUp = false;
      await until(async () => (await statusAndBody(app, "/readyz"))[0] === 503, "it is not ready");
      assertEquals((await statusAndBody(app, "/livez"))[0], 200);
      assertMatch(String((await statusAndBody(app, "/metrics"))[1]), /^# TYPE \w+ (?:counter|histogram|gauge)$/m);
    },
  },
  {
    name: "export",
    asked:
      "Export createApp(onEnd). GET /export.ndjson streams the rows {n: 1} to {n: 100000} from an async generator, " +
      "a line each, without holding them in memory, as application/x-ndjson. However the stream ends, also when the " +
      "client disconnects in the middle, the generator ends, and onEnd is called.",
    async check({ createApp }) {
      let ended = 0;
      await serving(createApp(() => void ended++), async (origin) => {
        const whole = await fetch(`${origin}/export.ndjson`);
        assertMatch(whole.headers.get("content-type")!, /^application\/x-ndjson/);
        const lines = (await whole.text()).trimEnd().split("\n");
        assertEquals([lines.length, lines[0], lines.at(-1)], [100_000, '{"n":1}', '{"n":100000}']);
        await until(() => ended === 1, "the generator has ended");
        const half = await fetch(`${origin}/export.ndjson`);
        await half.body!.cancel();
        await until(() => ended === 2, "the generator of a client that left has ended");
      });
    },
  },
  {
    name: "model_stream",
    asked:
      "Export createApp(provider), where provider is the URL of a language model that answers POST {prompt} with " +
      'server-sent events, each `data: {"text":"…"}`, the last one `data: [DONE]`. POST /chat with {prompt} passes the ' +
      "text on as it comes, as text/plain. If the client disconnects, the request to the provider is aborted. If the " +
      "provider fails, it is 502.",
    async check({ createApp }) {
      let aborted = false;
      const { default: sluice } = await import("@sluice/sluice");
      const fake = sluice().set("env", "test");
      fake.post("/model", sluice.json(), async (req, res) => {
        if (req.body.prompt === "fail") return res.sendStatus(500);
        res.type("text/event-stream");
        res.on("close", () => aborted ||= !res.writableEnded);
        res.write('data: {"text":"Hel"}\n\nda');
        res.write('ta: {"text":"lo"}\n\n');
        if (req.body.prompt === "long") return await new Promise<void>(() => {});
        res.end("data: [DONE]\n\n");
      });
      await serving(fake, async (provider) => {
        await serving(createApp(`${provider}/model`).set("env", "test"), async (origin) => {
          const ask = (prompt: string) => fetch(`${origin}/chat`, post({ prompt }));
          const short = await ask("hi");
          assertMatch(short.headers.get("content-type")!, /^text\/plain/);
          assertEquals(await short.text(), "Hello");
          const failed = await ask("fail");
          await failed.body?.cancel();
          assertEquals(failed.status, 502);
          const long = await ask("long");
          const reader = long.body!.pipeThrough(new TextDecoderStream()).getReader();
          let text = "";
          while (text.length < 5) text += (await reader.read()).value;
          assertEquals(text, "Hello");
          await reader.cancel();
          await until(() => aborted, "the provider's request is aborted");
        });
      });
    },
  },
  {
    name: "express_program",
    asked: "Move this Express program to Sluice, as createApp(), so that nothing changes for its clients:\n" +
      'const app = express(); app.disable("x-powered-by"); app.use(cors()); app.use(express.json());\n' +
      'app.use("/static", express.static("public")); app.param("id", (req, res, next, id) => { req.user = users[id]; ' +
      'next(req.user ? undefined : createError(404, "no such user")); });\n' +
      'const users = { 1: { name: "Ann" } }; const api = express.Router({ mergeParams: true });\n' +
      'api.get("/", (req, res) => res.json(req.user)); app.use("/users/:id", api);\n' +
      'app.get("/search", (req, res) => res.send(req.query.q ?? "nothing")); app.get("/old", (req, res) => ' +
      'res.redirect(301, "/search")); app.use((err, req, res, next) => res.status(err.status || 500).json({ message: ' +
      "err.message }));",
    async check({ createApp }) {
      const app = createApp().set("env", "test");
      assertEquals(await statusAndBody(app, "/users/1"), [200, { name: "Ann" }]);
      assertEquals(await statusAndBody(app, "/users/2"), [404, { message: "no such user" }]);
      assertEquals(await statusAndBody(app, "/search?q=x"), [200, "x"]);
      const old = await app.inject("/old");
      assertEquals([old.status, old.headers.get("location")], [301, "/search"]);
      assertEquals([old.headers.get("access-control-allow-origin"), old.headers.get("x-powered-by")], ["*", null]);
      assertEquals((await statusAndBody(app, "/search", { ...post({}), body: "{" }))[0], 400);
    },
  },
  {
    name: "worker",
    asked:
      "Write a Cloudflare Worker, its application the default export. GET /visits/:page adds one to the count of " +
      "the page in the KV namespace VISITS (get and put with strings) and answers {page, visits}. The variable NAME " +
      "greets at /. What is logged after the response goes through waitUntil: env.LOG(page).",
    async check({ default: app }) {
      const kept = new Map<string, string>();
      const logged: string[] = [];
      const waiting: Promise<unknown>[] = [];
      const env = {
        VISITS: {
          get: (key: string) => Promise.resolve(kept.get(key) ?? null),
          put: (key: string, value: string) => Promise.resolve(void kept.set(key, value)),
        },
        NAME: "Ann",
        LOG: (page: string) => Promise.resolve(void logged.push(page)),
      };
      const ctx = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise), passThroughOnException() {} };
      const ask = async (path: string) => await app.fetch(new Request(`http://localhost${path}`), env, ctx);
      assertStringIncludes(await (await ask("/")).text(), "Ann");
      await (await ask("/visits/home")).text();
      assertEquals(await (await ask("/visits/home")).json(), { page: "home", visits: 2 });
      await Promise.all(waiting);
      assertEquals([logged, waiting.length], [["home", "home"], 2]);
    },
  },
  {
    name: "tokens",
    asked:
      "Export createApp(complete), where complete(prompt) resolves to {text, tokens}. POST /complete with {prompt} " +
      "and X-User answers {text}. Each user has 1000 tokens an hour; what a request really cost counts, by tokens, and " +
      "who has used them up gets 429.",
    async check({ createApp }) {
      const app = createApp((prompt: string) => Promise.resolve({ text: prompt, tokens: Number(prompt) }));
      const ask = (user: string, prompt: string) =>
        statusAndBody(app, "/complete", post({ prompt }, { "x-user": user }));
      assertEquals(await ask("ann", "400"), [200, { text: "400" }]);
      assertEquals((await ask("ann", "590"))[0], 200);
      assertEquals((await ask("ann", "300"))[0] === 200 && (await ask("ann", "10"))[0] === 200, false);
      assertEquals((await ask("ben", "900"))[0], 200);
    },
  },
  {
    name: "single_page",
    asked:
      "Export createApp(folder), for a folder with index.html and assets/app.js. Files below /assets may be kept " +
      "for a year and are immutable; index.html is never kept without asking. Every other path that a browser opens " +
      "(GET, accepts HTML) is index.html; below /api what does not exist is 404 as JSON {error}.",
    async check({ createApp }) {
      const folder = await Deno.makeTempDir();
      await Deno.mkdir(`${folder}/assets`);
      await Deno.writeTextFile(`${folder}/index.html`, "<!doctype html><title>App</title>");
      await Deno.writeTextFile(`${folder}/assets/app.js`, "export {}");
      try {
        const app = createApp(folder);
        const asset = await app.inject("/assets/app.js");
        await asset.text();
        assertMatch(asset.headers.get("cache-control")!, /max-age=31536000.*immutable/);
        for (const path of ["/", "/orders/7"]) {
          const page = await app.inject(path, { headers: { accept: "text/html" } });
          assertEquals(page.status, 200);
          assertStringIncludes(await page.text(), "<title>App</title>");
          assertMatch(page.headers.get("cache-control")!, /no-cache|max-age=0/);
        }
        const [status, body] = await statusAndBody(app, "/api/none", { headers: { accept: "text/html" } });
        assertEquals([status, typeof (body as { error: unknown }).error], [404, "string"]);
        assertEquals((await app.inject("/assets/none.js", { headers: { accept: "*/*" } })).status, 404);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  },
  {
    name: "webhook",
    asked:
      "Export createApp(secret). POST /webhook verifies X-Signature, the HMAC-SHA-256 of the body's bytes by the " +
      "secret in hex, in constant time: 401 if it is wrong or missing. An event {id, type} is handled once, however " +
      "often it is delivered: 200 with {handled: true} the first time, {handled: false} later. A handler that takes " +
      "longer than 5 seconds is 503.",
    async check({ createApp }) {
      const app = createApp("s3cret");
      const key = await crypto.subtle.importKey(
        "raw",
        new TextEncoder().encode("s3cret"),
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["sign"],
      );
      const sign = async (text: string) =>
        Array.from(
          new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))),
          (byte) => byte.toString(16).padStart(2, "0"),
        ).join("");
      const body = '{ "id": "e1",  "type": "paid" }';
      const send = (signature?: string) =>
        statusAndBody(app, "/webhook", {
          method: "POST",
          headers: { ...JSON_TYPE, ...signature === undefined ? {} : { "x-signature": signature } },
          body,
        });
      assertEquals(await send(await sign(body)), [200, { handled: true }]);
      assertEquals(await send(await sign(body)), [200, { handled: false }]);
      assertEquals((await send(await sign(`${body} `)))[0], 401);
      assertEquals((await send())[0], 401);
    },
  },
  {
    name: "tests",
    asked:
      "An application is made by createApp(). GET /sum?a=1&b=2 answers {sum: 3}, and 400 if a or b is no number. " +
      "One client (by address, behind no proxy) gets 2 requests a minute. Export test(createApp), an async function " +
      "that tests all of that without a server, clients with two addresses included, and throws if something is wrong.",
    async check({ test }) {
      const { default: sluice, rateLimit } = await import("@sluice/sluice");
      const make = (limit: number, add: (a: number, b: number) => number, strict = true) => () => {
        const app = sluice().set("env", "test");
        app.use(rateLimit({ windowMs: 60_000, limit }));
        return app.get("/sum", (req, res) => {
          const [a, b] = [Number(req.query["a"] ?? NaN), Number(req.query["b"] ?? NaN)];
          if (strict && (Number.isNaN(a) || Number.isNaN(b))) return res.sendStatus(400);
          res.json({ sum: add(a, b) });
        });
      };
      const plus = (a: number, b: number) => a + b;
      const passes = (createApp: unknown) => test(createApp).then(() => true, () => false);
      assertEquals(await passes(make(2, plus)), true);
      assertEquals(await passes(make(3, plus)), false);
      assertEquals(await passes(make(1, plus)), false);
      assertEquals(await passes(make(2, (a, b) => a - b)), false);
      assertEquals(await passes(make(2, plus, false)), false);
    },
  },
];
