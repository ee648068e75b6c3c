/** One application, written once and served by every runtime; it names none of them. */
import sluice, {
  type FrameworkApp,
  type FrameworkRequest,
  type FrameworkResponse,
  type Handler,
  HttpError,
  Router,
} from "@sluice/sluice";
import { bodilessRoutes } from "./program_bodiless.ts";
import { bodyLimitRoutes } from "./program_body_limits.ts";
import { advancedLimitRoutes } from "./program_advanced_limits.ts";
import { metricsRoutes } from "./program_metrics.ts";
import { contextRoutes } from "./program_contexts.ts";
import { compressedRoutes } from "./program_compressed.ts";
import { documentRoutes } from "./program_document.ts";
import { eventRoutes } from "./program_events.ts";
import { sessionRoutes } from "./program_sessions.ts";
import { uploadRoutes } from "./program_uploads.ts";
import { validatedRoutes } from "./program_validated.ts";
import { errorRoutes } from "./program_errors.ts";
import { departedRoutes } from "./program_departed.ts";
import { operationRoutes } from "./program_operations.ts";
import { limitRoutes, RequestedClock } from "./program_limits.ts";
import { socketRoutes } from "./program_sockets.ts";
import { streamRoutes } from "./program_streams.ts";

/** Folder with the files the program serves, relative to the working directory. */
const FILES = "tests/fixtures";

export function buildProgram(): FrameworkApp {
  const app = sluice().set("env", "test");
  app.get("/", (_req, res) => res.send("home"));
  routing(app);
  requests(app);
  answers(app);
  cookies(app);
  bodies(app);
  bodilessRoutes(app);
  bodyLimitRoutes(app);
  errors(app);
  mounts(app);
  const clock = new RequestedClock();
  limitRoutes(app, clock);
  advancedLimitRoutes(app, clock);
  files(app);
  streamRoutes(app);
  departedRoutes(app);
  socketRoutes(app);
  errorRoutes(app);
  eventRoutes(app);
  documentRoutes(app);
  metricsRoutes(app);
  sessionRoutes(app);
  compressedRoutes(app);
  operationRoutes(app);
  contextRoutes(app);
  uploadRoutes(app);
  validatedRoutes(app);
  return app;
}

function routing(app: FrameworkApp): void {
  const seen = (name: string): Handler => (_req, res, next) => {
    (res.locals["seen"] ??= []).push(name);
    next();
  };
  app.use("/order", seen("first"));
  app.get("/order/:id", seen("parameter"));
  app.use("/order", seen("second"));
  app.get("/order/static", (_req, res) => res.json([...res.locals["seen"], "static"]));
  app.get("/order/:id", (req, res) => res.json([...res.locals["seen"], req.params.id]));

  app.get("/users/:id/files/*path", (req, res) => res.json(req.params));
  app.get("/optional{/:page}", (req, res) => res.json({ page: req.params.page ?? null }));
  app.get(/^\/pattern-(\d+)$/, (req, res) => res.json(req.params));
  app.param("item", (_req, res, next, value) => {
    res.locals["item"] = `loaded ${value}`;
    next();
  });
  app.get("/items/:item", (_req, res) => res.send(res.locals["item"]));
  app.route("/verbs").get((_req, res) => res.send("got")).post((_req, res) => res.send("posted"))
    .delete((_req, res) => res.status(204).end());
  app.patch("/verbs", (_req, res) => res.send("patched"));
  app.all("/any", (req, res) => res.send(req.method));
  app.all("/assigned/:method", (req, res) => {
    req.method = req.params.method;
    res.end("body");
  });
  app.get("/skip", (_req, _res, next) => next("route"), (_req, res) => res.send("not this"));
  app.get("/skip", (_req, res) => res.send("the next route"));
  app.use("/old", (req, _res, next) => {
    req.url = `/renamed${req.url}`;
    next();
  });
  app.get("/old/renamed/x", (req, res) => res.send(`${req.url} was ${req.originalUrl}`));
}

function requests(app: FrameworkApp): void {
  app.get("/request", (req, res) => {
    const { method, url, path, originalUrl, query, protocol, hostname, secure, ip, xhr } = req;
    res.json({ method, url, path, originalUrl, query, protocol, hostname, secure, ip: ip ?? null, xhr });
  });
  app.get("/header/:name", (req, res) => res.json(req.get(req.params.name) ?? null));
  app.get("/accepts", (req, res) => res.send(String(req.accepts("json", "html"))));
  app.get("/range", (req, res) => res.json(req.range(100) ?? null));
  app.get("/format", (_req, res) => {
    res.format({ "text/plain": () => res.send("plain"), "application/json": () => res.json({ json: true }) });
  });
  const behind = sluice().set("trust proxy", 1).set("env", "test");
  behind.get("/", ({ ip, protocol, hostname, secure }, res) => res.json({ ip, protocol, hostname, secure }));
  app.use("/behind-proxy", behind);
}

function answers(app: FrameworkApp): void {
  app.get("/text", (_req, res) => res.send("text with ümlaut"));
  app.get("/text/long", (_req, res) => res.send("text with ümlaut".repeat(100)));
  app.get("/json", (_req, res) => res.status(201).json({ a: [1, "ü"], b: null }));
  app.get("/untyped/returned", (_req, res) => {
    res.set("X-Own", "own");
    return new Response("text");
  });
  app.get("/untyped/text", (_req, res) => void res.end("<h1>ü</h1>"));
  app.get("/untyped/bytes", (_req, res) => void res.writeHead(201).end(new Uint8Array(100_000).fill(97)));
  app.get("/bytes", (_req, res) => res.send(new Uint8Array([0, 1, 254, 255])));
  app.get("/status", (_req, res) => res.sendStatus(418));
  app.get("/empty/:status", (req, res) => res.status(Number(req.params.status)).end());
  app.get("/headers", (_req, res) => {
    res.set("X-One", "1").append("X-Two", "a").append("X-Two", "b").vary("Accept").type("text/markdown");
    res.links({ next: "/2" }).send("# headers");
  });
  app.get("/redirect", (_req, res) => res.redirect("/text"));
  app.get("/redirect/forever", (_req, res) => res.redirect(301, "/text?q=ü"));
  app.get("/attachment", (_req, res) => res.attachment("naïve.txt").send("saved"));
  app.get("/jsonp", (_req, res) => res.jsonp({ a: 1 }));
  app.get("/dated", (_req, res) => res.set("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT").send("dated"));
  app.get("/async", async (_req, res) => {
    await Promise.resolve();
    res.send("after a promise");
  });
  app.get("/timer", (_req, res) => void setTimeout(() => res.send("after a timer"), 1));
  app.get("/response", () => new Response("a response", { status: 203, headers: { "x-web": "yes" } }));
  app.get("/response/added", (_req, res, next) => {
    res.set({ "X-Before": "yes", "X-Both": "before", "Content-Type": "text/html" }).cookie("both", "before");
    next();
  }, () => {
    const headers: [string, string][] = [
      ["x-both", "own"],
      ["content-type", "text/x-own"],
      ["set-cookie", "both=own"],
      ["set-cookie", "other=1"],
    ];
    return new Response("a response", { status: 203, headers });
  });
  app.get("/promised", () => Promise.resolve(Response.json({ promised: true })));
  app.get("/node-style", (_req, res) => {
    res.writeHead(202, { "Content-Type": "text/plain" });
    res.write("one ");
    res.end("two");
  });
}

function cookies(app: FrameworkApp): void {
  app.get("/cookies", (req, res) => res.json(req.cookies));
  app.get("/cookies/set", (_req, res) => {
    res.cookie("plain", "a b").cookie("strict", "1", {
      httpOnly: true,
      sameSite: "strict",
      maxAge: 1000,
      secure: true,
    });
    res.cookie("object", { a: 1 }).clearCookie("gone").send("set");
  });
}

function bodies(app: FrameworkApp): void {
  const echo = (req: { body?: unknown }, res: { json(value: unknown): void }) => res.json({ body: req.body ?? null });
  app.post("/body/json", sluice.json({ limit: 100 }), echo);
  app.post("/body/twice", sluice.json(), sluice.json(), sluice.text({ type: "*/*" }), echo);
  app.post("/body/form", sluice.urlencoded({ extended: true }), echo);
  app.post("/body/text", sluice.text(), echo);
  app.post("/body/raw", sluice.raw(), (req, res) => res.json({ bytes: [...req.body] }));
  app.post("/body/none", echo);
  const present = Router();
  present.use(sluice.json({ limit: 20 }), (req, res) => void res.json("body" in req));
  present.use((error: { status: number }, req: FrameworkRequest, res: FrameworkResponse, _next: unknown) => {
    res.status(error.status).json("body" in req);
  });
  app.use("/body/present", present);
  app.post("/body/web", async (req, res) => res.json(await req.request.json()));
  app.post("/body/web-json", async (req, res) => res.json(await req.json()));
  app.post("/body/web-form", async (req, res) => res.json([...(await req.formData()).keys()]));
  app.post("/body/held", async (req) => {
    req.request.body!.getReader();
    await req.formData();
  });
}

function errors(app: FrameworkApp): void {
  app.get("/fails/thrown", () => {
    throw new Error("thrown on purpose");
  });
  app.get("/fails/rejected", () => Promise.reject(new HttpError(409, "in conflict")));
  app.get("/fails/passed", (_req, _res, next) => next(Object.assign(new Error("teapot"), { status: 418 })));
  app.get("/fails/caught", () => {
    throw new Error("caught");
  });
  app.use("/fails/caught", (error: Error, _req: unknown, res: { send(text: string): void }, _next: unknown) => {
    res.send(`handled: ${error.message}`);
  });
}

function mounts(app: FrameworkApp): void {
  const router = Router({ mergeParams: true });
  router.get("/member/:name", (req, res) => res.json({ ...req.params, baseUrl: req.baseUrl, url: req.url }));
  router.get("/leave", (_req, _res, next) => next("router"));
  app.use("/team/:team", router);
  app.get("/team/:team/leave", (_req, res) => res.send("left the router"));

  const admin = sluice().set("env", "test").set("title", "Admin");
  admin.get("/", (req, res) => res.json({ mountpath: req.app.mountpath, title: req.app.get("title"), path: req.path }));
  app.use("/admin", admin);
  app.group("/group", { middleware: [(_req, res, next) => (res.set("X-Group", "1"), next())] }, (group) => {
    group.get("/member", (_req, res) => res.send("in the group"));
  });
  app.mount("/foreign", (request: Request) => new Response(`${request.method} ${new URL(request.url).pathname}`));
  const other = { fetch: async (request: Request) => Response.json({ got: await request.text() }) };
  app.mount("/foreign-app", other);
}

function files(app: FrameworkApp): void {
  app.use("/static", sluice.static(`${FILES}/files`, { maxAge: 1000 }));
  app.use("/coded", sluice.static(`${FILES}/coded`, { precompressed: true }));
  app.get("/file", (_req, res) => res.sendFile("hello.txt", { root: `${FILES}/files` }));
  app.get("/download", (_req, res) => res.download(`${FILES}/files/hello.txt`, "hällo.txt"));
  app.get("/file/missing", (_req, res) => res.sendFile("missing.txt", { root: `${FILES}/files` }));
  app.set("views", `${FILES}/views`).engine("txt", (_path, options, done) => done(null, `rendered ${options["name"]}`));
  app.get("/view", (_req, res) => res.render("contract.txt", { name: "Sluice" }));
  const own = sluice().set("env", "test").set("view", OwnView);
  own.get("/", (_req, res) => res.render("any", { name: "Sluice" }));
  app.use("/own-view", own);
}

/** A view class that needs no files. */
class OwnView {
  readonly name: string;
  readonly path = "in memory";
  constructor(name: string) {
    this.name = name;
  }
  render(options: Record<string, unknown>, done: (error: unknown, text?: string) => void): void {
    done(null, `${this.name} view of ${options["name"]}`);
  }
}
