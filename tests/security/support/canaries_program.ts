/**
 * Plants canaries: sends random requests, each with a secret in one part, to an application in production. Prints the
 * number of requests, and those with a canary that reappeared in a log line, a response or a span.
 */
import process from "node:process";
import { type } from "arktype";
import * as valibot from "valibot";
import { z } from "zod";
import sluice, { type FrameworkApp, type Handler } from "@sluice/sluice";
import { log } from "@sluice/middleware/log";
import { requestId } from "@sluice/middleware/request-id";
import { validate } from "@sluice/openapi";
import { oneOf, type Pick, random } from "../../support/random.ts";

/** Names of secrets as in programs and standards; not copied from the rule that is expected to recognize them. */
const NAMES =
  ("password Password user_password passwd pwd PASSPHRASE passcode newPassword password_confirmation db.password secret " +
    "clientSecret client_secret access_token accessToken refresh_token refresh id_token csrf_token _csrf xsrf-token " +
    "authorization apiKey api_key API-KEY x-api-key private_key secretAccessKey AWS_SECRET_ACCESS_KEY signing_key " +
    "session_id sessionId sid connect.sid PHPSESSID JSESSIONID SAMLResponse SAMLRequest client_assertion code_verifier " +
    "cvv CVC card_number cardNumber otp totp pin PIN one_time_code recoveryCode ssn jwt signature auth x-auth-token " +
    "mnemonic credentials bearer").split(" ");

/** Headers with credentials. */
const HEADERS =
  ("authorization proxy-authorization cookie x-api-key x-auth-token x-session-id x-csrf-token x-amz-security-token " +
    "cf-access-jwt-assertion x-goog-iap-jwt-assertion").split(" ");

/** Messages that contain a secret. */
const TEXTS: readonly ((name: string, canary: string) => string)[] = [
  (_name, canary) => `connect ECONNREFUSED postgres://app:${canary}@db.internal:5432/shop`,
  (_name, canary) => `cannot clone https://${canary}@github.com/a/b`,
  (name, canary) => `GET https://api.example/v1?a=1&${encodeURIComponent(name)}=${canary} failed with 502`,
  (name, canary) => `https://a.example/?next=${encodeURIComponent(`https://b.example/?${name}=${canary}`)} is unknown`,
  (name, canary) => `unexpected body: ${JSON.stringify({ a: 1, [name]: canary, b: [2] })}`,
  (name, canary) => `unexpected body: ${JSON.stringify({ body: JSON.stringify({ [name]: canary }) })}`,
  (name, canary) => `unexpected body: ${encodeURIComponent(name)}=${canary}&b=2`,
  (name, canary) => `cannot store { a: 1, ${name.replace(/[^\w$]/g, "_")}: '${canary}' }`,
  (name, canary) => `Server=db; ${name.replaceAll(" ", "")}=${canary}; Timeout=5`,
  (_name, canary) => `401 for Authorization: Bearer ${canary}1A`,
  (_name, canary) => `401 for\nAuthorization: ApiKey ${canary}\nHost: a`,
  (_name, canary) => `sent\nCookie: theme=dark; x=${canary}\nHost: a`,
  (_name, canary) => `expired: eyJhbGciOiJub25lIn0.${canary}.${canary}`,
];

type SchemaOf = (name: string) => Parameters<typeof validate>[0]["body"];

/** Schemas that reject any string, number or object for a property, each in a different way. */
const SCHEMAS: Readonly<Record<string, readonly SchemaOf[]>> = {
  zod: [
    (name) => z.object({ [name]: z.string().regex(/^\d$/).max(1) }),
    (name) => z.object({ [name]: z.enum(["a", "b"]) }),
    (name) => z.object({ [name]: z.number().max(1) }),
    (name) => z.object({ [name]: z.union([z.boolean(), z.literal("a")]) }),
    (name) => z.object({ [name]: z.string().refine(() => false, { error: ({ input }) => `not ${input}, please` }) }),
    () => z.strictObject({ a: z.number() }),
  ],
  valibot: [
    (name) => valibot.object({ [name]: valibot.pipe(valibot.string(), valibot.regex(/^\d$/), valibot.email()) }),
    (name) => valibot.object({ [name]: valibot.picklist(["a", "b"]) }),
    (name) => valibot.object({ [name]: valibot.pipe(valibot.number(), valibot.maxValue(1)) }),
    (name) => valibot.object({ [name]: valibot.union([valibot.boolean(), valibot.literal("a")]) }),
    () => valibot.strictObject({ a: valibot.number() }),
  ],
  arktype: [
    (name) => type({ [name]: /^\d$/ }),
    (name) => type({ [name]: "'a' | 'b'" }),
    (name) => type({ [name]: "number < 1" }),
    (name) => type({ [name]: "string > 200 & string.email" }),
    (name) => type({ [name]: "string.json.parse" }),
    (name) => type({ [name]: type({ x: "string" }).or({ y: "number" }) }),
    () => type({ "+": "reject", a: "number" }),
  ],
};

interface Planted {
  readonly what: string;
  readonly canary: string;
  readonly path: string;
  readonly init: RequestInit;
}

/** The schema for the next request. */
let schema: ReturnType<SchemaOf>;
let failure: unknown;

const seen: string[] = [];
const note = (...given: unknown[]): void => void seen.push(given.map(shown).join(" "));

// as a console shows it: with properties and causes
function shown(value: unknown): string {
  if (!(value instanceof Error)) return typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return `${value.stack} ${value.message} ${JSON.stringify({ ...value })} ${shown(value.cause)}`;
}

/** A span as server instrumentation starts it, under both versions of the conventions. */
class Span {
  readonly attributes: Record<string, unknown>;
  readonly #events: unknown[] = [];

  constructor(path: string) {
    const full = `http://localhost${path}`;
    const [urlPath, query = ""] = path.split("?");
    const now = { "url.full": full, "url.path": urlPath, "url.query": query };
    this.attributes = { ...now, "http.url": full, "http.target": path };
  }
  isRecording = (): boolean => true;
  updateName = (name: string): void => void this.#events.push(name);
  setStatus = (status: unknown): void => void this.#events.push(status);
  setAttribute = (name: string, value: unknown): void => void (this.attributes[name] = value);
  recordException = (error: unknown): void => void this.#events.push(shown(error));
  text = (): string => JSON.stringify([this.attributes, this.#events]);
}

function hasNames(body: unknown): boolean {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

let span: Span;
const context = { active: () => ({ getValue: (key: symbol) => key.description?.endsWith("SPAN") ? span : undefined }) };
(globalThis as Record<symbol, unknown>)[Symbol.for("opentelemetry.js.api.1")] = { context };

function program(isLogged: boolean, format: "json" | "text"): FrameworkApp {
  const app = sluice().set("env", "production").set("query parser", "extended");
  const fields: NonNullable<Parameters<typeof log>[0]>["fields"] = (req) => {
    const { headers, query, body, cookies, rawHeaders } = req as typeof req & { rawHeaders: string[] };
    const all = { headers, query, cookies, rawHeaders, entries: Object.entries(headers) };
    // a body without names and part of a path give no hint that they contain a secret
    return {
      ...all,
      ...hasNames(body) ? { body } : {},
      ...req.path.startsWith("/reset/") ? {} : { url: req.originalUrl },
    };
  };
  if (isLogged) app.use(log({ stream: (line) => note(line), format, fields, color: false }));
  app.use(requestId());
  const checks: Handler = (req, res, next) => validate({ body: schema! })(req, res, next);
  app.post("/json", sluice.json(), checks, (_req, res) => res.send("taken"));
  app.post("/form", sluice.urlencoded({ extended: true }), checks, (_req, res) => res.send("taken"));
  app.get("/reset/:token", (req, res) => req.query["fails"] ? Promise.reject(new Error("no")) : res.send("taken"));
  app.get("/fails", () => {
    throw failure;
  });
  app.get("/sends", (_req, res) => {
    res.json({ a: undefined });
    throw failure;
  });
  app.post("/parses", sluice.text({ type: "*/*" }), (req, res) => res.json(JSON.parse(req.body)));
  app.get("/", (_req, res) => res.send("taken"));
  return app;
}

function plant(pick: Pick): Planted {
  const name = oneOf(pick, NAMES);
  const canary = `cnry${pick(0x7fffffff).toString(16)}x${pick(0x7fffffff).toString(16)}`;
  const [library, schemas] = oneOf(pick, Object.entries(SCHEMAS));
  const index = pick(schemas.length);
  schema = schemas[index]!(name);
  const post = (path: string, contentType: string, body: string, what: string): Planted => ({
    what: `${what} (${name}, ${library} ${index})`,
    canary,
    path,
    init: { method: "POST", headers: { "content-type": contentType }, body },
  });
  const ways: readonly (() => Planted)[] = [
    () => post("/json", "application/json", JSON.stringify({ [name]: canary }), "a body"),
    () =>
      post(
        "/json",
        "application/json",
        JSON.stringify({ [name]: `a "b" (was) ${canary} received \\ c` }),
        "a quoted body",
      ),
    () => post("/json", "application/json", JSON.stringify({ [name]: { deep: [canary] } }), "a deep body"),
    () => post("/json", "application/json", JSON.stringify(canary), "a body that is a text"),
    () => post("/json", "application/json", JSON.stringify([canary]), "a body that is a list"),
    () => post("/json", "application/json", `${name}=${canary}`, "a form sent as JSON"),
    () => post("/json", "application/json", `{"${name}":"${canary}`, "a body that was cut"),
    () => post("/json", "application/json", `{"${name}":${canary}}`, "a body without quotes"),
    () => post("/json", "application/json", canary, "a body that is no JSON"),
    () => post("/parses", "text/plain", oneOf(pick, [canary, `${name}=${canary}`, `{"a":${canary}}`]), "JSON.parse"),
    () => post("/form", "application/x-www-form-urlencoded", `${encodeURIComponent(name)}=${canary}`, "a form"),
    () => post("/form", "application/x-www-form-urlencoded", JSON.stringify({ [name]: canary }), "JSON sent as a form"),
    () => ({ what: `a query (${name})`, canary, path: `/?a=1&${encodeURIComponent(name)}=${canary}`, init: {} }),
    () => ({ what: `a query (${name})`, canary, path: `/none?user[${encodeURIComponent(name)}]=${canary}#`, init: {} }),
    () => {
      const url = encodeURIComponent(`https://b.example/?${name}=${canary}`);
      return { what: `a URL in a query (${name})`, canary, path: `/?next=${url}`, init: {} };
    },
    () => ({ what: "a path", canary, path: `/reset/${canary}${oneOf(pick, ["", "?fails=1", "?a=1"])}`, init: {} }),
    () => {
      const header = oneOf(pick, HEADERS);
      return {
        what: `header ${header}`,
        canary,
        path: oneOf(pick, ["/", "/fails", "/none"]),
        init: { headers: { [header]: canary } },
      };
    },
    () => {
      const headers = {
        cookie: `theme=dark; ${name}=${canary}`,
        referer: `https://a.example/?${encodeURIComponent(name)}=${canary}`,
      };
      return { what: `a cookie and a referrer (${name})`, canary, path: "/", init: { headers } };
    },
    () => {
      const text = oneOf(pick, TEXTS)(name, canary);
      const error = new Error(oneOf(pick, [text, "failed"]), { cause: new Error(text) });
      Object.assign(error, { command: { args: [canary] } });
      failure = oneOf<unknown>(pick, [error, new AggregateError([error], "several"), { [name]: canary }, text]);
      return { what: `an error: ${text}`, canary, path: oneOf(pick, ["/fails", "/sends"]), init: {} };
    },
  ];
  return oneOf(pick, ways)();
}

async function main(seed: number, count: number): Promise<void> {
  const pick = random(seed);
  const apps = [program(true, "json"), program(true, "text"), program(false, "json")];
  const plain = { log: console.log, error: console.error, warn: console.warn };
  Object.assign(console, { log: note, error: note, warn: note });
  const leaks: string[] = [];
  for (let i = 0; i < count; i++) {
    failure = new Error("failed");
    const { what, canary, path, init } = plant(pick);
    seen.length = 0;
    span = new Span(path);
    const accept = oneOf(pick, ["application/json", "text/html", "*/*"]);
    const response = await oneOf(pick, apps).inject(path, { ...init, headers: { ...init.headers, accept } });
    const body = await response.text().catch(() => "");
    await new Promise((resolve) => setTimeout(resolve, 0));
    const head = [...response.headers].join("\n");
    for (const [where, text] of Object.entries({ lines: seen.join("\n"), response: body + head, span: span.text() })) {
      const at = text.indexOf(canary);
      if (at !== -1) leaks.push(`${what} in ${where}: ${text.slice(Math.max(0, at - 150), at + 60)}`);
    }
  }
  Object.assign(console, plain);
  console.log(JSON.stringify({ count, leaks: leaks.slice(0, 40), all: leaks.length }));
  process.exit(0);
}

await main(Number(process.argv[2]), Number(process.argv[3]));
