/**
 * The target for requests in varying orders: everything that reads a request, so that a response shows all that was
 * read. No response depends on an earlier request or on the time. Prints its port.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import sluice, { clientKey, type FrameworkApp, type Handler, rateLimit as coreRateLimit } from "@sluice/sluice";
import { compress } from "@sluice/middleware/compress";
import { csrf } from "@sluice/middleware/csrf";
import { session } from "@sluice/middleware/session";
import { upload } from "@sluice/middleware/upload";
import { validate } from "@sluice/openapi";
import { openapiPages } from "@sluice/openapi/pages";
import { rateLimit } from "@sluice/rate-limit";
import { EVERY_PARSER, PARSERS } from "./parsers.ts";

const FIXTURES = "tests/fixtures/";
const SECRET = "of at least 32 characters, as a program's own";
const LARGE = "0123456789abcdef".repeat(256);

const MOUNTS = 12;

/** Responds with the part of the body that a body parser left. */
const echoBody: Handler = (req, res) => {
  const { body } = req;
  if (!(body instanceof Uint8Array)) return res.json({ type: typeof body, body, has: "body" in req });
  res.json({ type: "bytes", body: Array.from(body, (byte) => byte.toString(16)).join(" ") });
};

/** Responds with all properties that a request exposes. */
const echoRequest: Handler = (req, res) => {
  const { method, url, originalUrl, baseUrl, path, params, query, cookies } = req;
  const { ip, ips, protocol, secure, host, hostname, subdomains, xhr } = req;
  res.set({ "ETag": '"x"', "Last-Modified": "Thu, 01 Jan 2015 00:00:00 GMT" });
  res.json({
    target: { method, url, originalUrl, baseUrl, path, params, query },
    client: { ip, ips, protocol, secure, host, hostname, subdomains, xhr, key: clientKey(req) },
    wide: clientKey(req, { ipv6Subnet: 32 }),
    headers: [req.headers, req.headersDistinct, req.rawHeaders, req.get("referer"), req.get("x-flag")],
    cookies,
    is: [req.is("json"), req.is(["text/*", "urlencoded"]), req.is("+json", "multipart"), req.is("*/*"), req.is([])],
    types: [req.accepts(), req.accepts("html", "json"), req.accepts(["text/plain", "png"]), req.accepts("json")],
    others: [req.acceptsEncodings("gzip", "br"), req.acceptsCharsets("utf-8"), req.acceptsLanguages("en", "de")],
    range: [req.range(1000), req.range(3, { combine: true })],
    fresh: req.fresh,
  });
};

/** An application with a non-default value for every setting that is compiled or looked up per request. */
function otherApp(settings: Readonly<Record<string, unknown>>): FrameworkApp {
  const app = sluice();
  for (const [name, value] of Object.entries(settings)) app.set(name, value as never);
  app.all("/send", (req, res) => res.send(req.query["text"] ?? "nothing"));
  // long enough for runtimes to hash differently, and with a character that UTF-8 cannot encode
  app.get("/long", (_req, res) => res.send(`\ud800${LARGE.repeat(8)}é`));
  app.get("/view", (req, res) => res.render(String(req.query["name"] ?? "page"), { title: "other" }));
  app.get("/Case/:id/", echoRequest);
  app.use(echoRequest);
  return app;
}

function mountParsers(app: FrameworkApp): void {
  for (const [path, parser] of Object.entries(PARSERS)) app.use(path, parser, echoBody);
  app.use("/every", ...EVERY_PARSER, echoBody);
  app.use("/validated", sluice.json(), validate({ body: OBJECT }), echoBody);
  app.use("/upload", upload(), (req, res) => res.json({ body: req.body, files: JSON.stringify(req.files) }));
  app.use("/read/text", async (req, res) => res.json(await req.text()));
  app.use("/read/json", async (req, res) => res.json(await req.json()));
  app.use("/read/stream", async (req, res) => {
    let size = 0;
    for await (const chunk of req) size += chunk.length;
    res.json(size);
  });
}

/** A schema (https://standardschema.dev) for objects. */
const OBJECT = {
  "~standard": {
    version: 1,
    vendor: "order",
    validate: (value: unknown) =>
      typeof value === "object" && value !== null ? { value } : { issues: [{ message: "an object is expected" }] },
  },
} as const;

function mountFiles(app: FrameworkApp): void {
  app.use("/files", sluice.static(`${FIXTURES}files`));
  app.use(
    "/strict",
    sluice.static(`${FIXTURES}files`, { dotfiles: "deny", index: false, redirect: false, etag: false }),
  );
  app.use("/loose", sluice.static(`${FIXTURES}files`, { extensions: ["txt", "html"], maxAge: "1h", immutable: true }));
  app.use("/coded", sluice.static(`${FIXTURES}coded`, { precompressed: true }));
  app.get("/file/:name", (req, res) => res.sendFile(String(req.params.name), { root: fileURLToPath(FILES) }));
  app.get("/part/:name", (req, res) => {
    res.sendFile(String(req.params.name), { root: fileURLToPath(FILES), acceptRanges: false, lastModified: false });
  });
  app.get("/download/:name", (req, res) => res.download(`${FIXTURES}files/hello.txt`, String(req.params.name)));
}

const FILES = new URL(`${FIXTURES}files/`, `file://${process.cwd()}/`);

function mountResponses(app: FrameworkApp): void {
  const text = (value: unknown, usual: string) => typeof value === "string" && value !== "" ? value : usual;
  app.use("/type", (req, res) => res.type(text(req.query["of"], "html")).send("body"));
  app.use(
    "/header",
    (req, res) => res.set(text(req.query["name"], "X-Name"), text(req.query["value"], "1")).send("body"),
  );
  app.use("/vary", (req, res) => res.vary(text(req.query["on"], "Accept")).vary("Origin").json([]));
  app.use("/append", (req, res) => res.append(text(req.query["name"], "Link"), ["a", "b"]).sendStatus(202));
  app.use("/attachment", (req, res) => res.attachment(text(req.query["name"], "a.txt")).send("body"));
  app.use("/redirect", (req, res) => res.redirect(text(req.query["to"], req.get("referer") ?? "/")));
  app.use("/links", (req, res) => res.links({ next: text(req.query["to"], "/2") }).jsonp({ a: 1 }));
  app.use("/status", (req, res) => res.status(Number(req.query["of"] ?? 200)).send("body"));
  app.use(
    "/cookie",
    (req, res) => res.cookie(text(req.query["name"], "a"), text(req.query["value"], "1")).send("body"),
  );
  app.use("/format", (_req, res) => {
    res.format({ text: () => res.send("text"), html: () => res.send("<p>"), json: () => res.json({ a: 1 }) });
  });
  app.use("/offer", (req, res) => res.json(req.accepts([text(req.query["of"], "json")].flat())));
  app.use("/tagged", (req, res) => res.set("ETag", text(req.query["tag"], '"x"')).send("body"));
  app.use("/bytes", (_req, res) => res.send(new Uint8Array([1, 2, 3])));
  app.use("/response", () => new Response("of the web", { headers: { "x-name": "1" } }));
  app.use("/zip", compress(), (req, res) => res.type(text(req.query["of"], "html")).send(LARGE));
  app.use("/fail", (req) => {
    throw Object.assign(new Error("meant"), { status: Number(req.query["of"] ?? 500) });
  });
  app.use("/later", async (req, res) => {
    await turn();
    echoRequest(req, res, () => {});
  });
}

function mountRoutes(app: FrameworkApp): void {
  app.param("id", (req, _res, next, id) => {
    req.url += `${req.url.includes("?") ? "&" : "?"}id=${encodeURIComponent(String(id))}`;
    next();
  });
  app.get("/item/:id", echoRequest);
  app.route("/item/:id/parts").get(echoRequest).post(sluice.json(), echoBody).delete(echoRequest);
  app.get("/named/:id{.:format}", echoRequest);
  app.get("/rest/*path", echoRequest);
  app.get("/pair/:a-:b", echoRequest);
  app.get(/^\/regexp\/(?<year>\d{4})\/(.*)$/, echoRequest);
  const router = sluice.Router({ mergeParams: true, caseSensitive: true, strict: true });
  router.get("/Deep/", echoRequest);
  router.use("/:name", (req, _res, next) => next(req.params.name === "skip" ? "router" : undefined), echoRequest);
  app.use("/of/:owner", router);
  // more often than fits one index, and inside itself
  const often = sluice.Router();
  often.get("/Word/:id", echoRequest);
  often.get("/:id/word", echoRequest);
  often.use("/self", often);
  for (let i = 0; i < MOUNTS; i++) app.use(`/often/${i}`, often);
  app.ws("/socket", { message: (ws, data) => void ws.send(data) });
}

function buildTarget(fault: string | undefined): FrameworkApp {
  const app = sluice().set("trust proxy", true).set("views", `${FIXTURES}views`).set("view engine", "ejs");
  app.set("view cache", true);
  app.engine("ejs", (path, options, done) => done(null, `${path.slice(path.indexOf("views/"))} ${options["title"]}`));
  app.on("error", () => {});
  if (fault !== undefined) plant(app, fault);
  mountParsers(app);
  mountFiles(app);
  mountResponses(app);
  mountRoutes(app);
  app.use("/look", echoRequest);
  app.get("/view", (req, res) => res.render(String(req.query["name"] ?? "page"), { title: "own" }));
  app.use("/session", session({ secret: SECRET }), (req, res) => {
    const known = Object.keys(req.session);
    Object.assign(req.session, { user: 1 });
    res.json(known);
  });
  app.use("/docs", openapiPages(app, { title: "Orders", version: "1.0.0" }));
  app.use("/csrf", csrf({ origins: ["https://a.example"] }), (_req, res) => res.send("allowed"));
  const endless = { windowMs: 3_600_000, limit: 1_000_000 };
  app.use("/limit", coreRateLimit(endless), rateLimit({ ...endless, algorithm: "token-bucket" }), echoRequest);
  app.use("/limited", rateLimit({ ...endless, keyGenerator: (req) => req.get("x-flag") ?? "none" }), echoRequest);
  for (const [i, settings] of OTHERS.entries()) app.use(`/app${i}`, otherApp(settings));
  return app;
}

const OTHERS: readonly Readonly<Record<string, unknown>>[] = [
  { "trust proxy": "loopback", "query parser": "extended", "etag": "strong", "case sensitive routing": true },
  { "trust proxy": 1, "query parser": "simple", "etag": false, "strict routing": true, "subdomain offset": 1 },
  { "trust proxy": false, "query parser": false, "etag": "sha1", "json spaces": 2, "x-powered-by": true },
  { "trust proxy": ["10.0.0.0/8", "::1"], "query parser": (text: string) => ({ text }), "json escape": true },
  { "env": "development", "views": `${FIXTURES}views/deep`, "view engine": "ejs", "json charset": false },
];

/** Faults that tests plant: one request's state leaks into another. */
function plant(app: FrameworkApp, fault: string): void {
  const verdicts = new Map<string | undefined, unknown>();
  let current = "";
  app.use(async (req, res, next) => {
    if (fault === "verdict") {
      // also depends on whether there is a body
      const type = req.get("content-type");
      if (!verdicts.has(type)) verdicts.set(type, req.is("json"));
      res.set("X-Is", String(verdicts.get(type)));
    }
    if (fault === "current") {
      current = req.path;
      await turn();
      res.set("X-Path", encodeURIComponent(current));
    }
    next();
  });
}

/** The ways to serve an application, by `SERVED_BY`; each returns the port. */
const SERVERS: Readonly<Record<string, (app: FrameworkApp) => Promise<number> | number>> = {
  listen: (app) =>
    new Promise((resolve) => {
      const server = app.listen({ port: 0, hostname: "127.0.0.1" }, () => setTimeout(() => resolve(server.port)));
    }),
  createServer: (app) =>
    new Promise((resolve) => {
      const server = createServer(app as never);
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
    }),
  serve(app) {
    const { Deno, Bun } = globalThis as unknown as Partial<Record<"Deno" | "Bun", Any>>;
    const options = { port: 0, hostname: "127.0.0.1" };
    if (Bun !== undefined) return Bun.serve({ ...options, fetch: app.fetch }).port;
    return Deno.serve({ ...options, onListen() {} }, app.fetch).addr.port;
  },
};

// deno-lint-ignore no-explicit-any -- other runtimes' servers
type Any = any;

const { PLANTED_FAULT, SERVED_BY = "listen" } = process.env;
console.log(await SERVERS[SERVED_BY]!(buildTarget(PLANTED_FAULT)));
