import sluice, {
  type ErrorRequestHandler,
  type FrameworkApp,
  json,
  type Request,
  type Response as SluiceResponse,
  Router,
} from "@sluice/sluice";
import { type IncomingFile, upload, type UploadedFile, type UploadOptions } from "@sluice/middleware/upload";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { withOwnClock } from "../../tests/support/own_clock.ts";
import { oneOf, type Pick, random } from "../../tests/support/random.ts";
import { until } from "../../tests/support/until.ts";
import { virtualTimers } from "../../tests/support/virtual_timers.ts";

const MIB = 1024 * 1024;
const encoder = new TextEncoder();

/** The received form, or the error. */
interface Seen {
  readonly status: number;
  readonly req: Request;
  // deno-lint-ignore no-explicit-any -- errors of all kinds
  readonly error: any;
}

/** An application that receives forms at `/`, and the result of the last one. */
function receiving<Value>(options?: UploadOptions<Value>): { app: FrameworkApp; send(body: BodyInit): Promise<Seen> } {
  const app = sluice().set("env", "test");
  const seen: { req?: Request; error?: unknown } = {};
  app.post("/", upload(options), (req, res) => {
    seen.req = req;
    res.json({ body: req.body });
  });
  const note: ErrorRequestHandler = (error, req, _res, next) => {
    Object.assign(seen, { req, error });
    next(error);
  };
  app.use(note);
  return {
    app,
    async send(body) {
      const headers = body instanceof FormData ? {} : { "content-type": "multipart/form-data; boundary=B" };
      const response = await app.inject("/", { method: "POST", body, headers });
      await response.text();
      return { status: response.status, error: undefined, ...seen } as Seen;
    },
  };
}

function formOf(entries: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(entries)) form.append(name, value);
  return form;
}

function fileOf(content: BlobPart, name = "f.txt", type = "text/plain"): File {
  return new File([content], name, { type });
}

/** A chunked body that counts how many chunks are requested. */
function chunked(chunks: Iterable<Uint8Array<ArrayBuffer> | string>): ReadableStream<Uint8Array> & { taken: number } {
  const iterator = chunks[Symbol.iterator]();
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) return controller.close();
      taken.taken++;
      controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
  }, { highWaterMark: 0 });
  const taken = Object.assign(stream, { taken: 0 });
  return taken;
}

function part(disposition: string, content: string, ...headers: string[]): string {
  return ["--B", `Content-Disposition: form-data; ${disposition}`, ...headers, "", content, ""].join("\r\n");
}

async function withFolder(run: (folder: string, names: () => string[]) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder, () => [...Deno.readDirSync(folder)].map(({ name }) => name));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("fields and files are where multer puts them", async () => {
  const form = formOf({ name: "Ada", first: fileOf("one", "größe.txt") });
  form.append("name", "Bob");
  form.append("second", fileOf("two", "b.bin", "Application/X-B"));
  const { status, req } = await receiving().send(form);
  assertEquals(status, 200);
  assertEquals({ ...req.body }, { name: ["Ada", "Bob"] });
  assertEquals(req.file, req.files[0]);
  assertEquals(req.files.map((file: UploadedFile) => ({ ...file, buffer: String(file.buffer) })), [
    { fieldname: "first", originalname: "größe.txt", mimetype: "text/plain", size: 3, buffer: "one" },
    { fieldname: "second", originalname: "b.bin", mimetype: "application/x-b", size: 3, buffer: "two" },
  ]);
  assert(req.file.buffer instanceof Uint8Array);
});

Deno.test("with names of fields, files are listed by field", async () => {
  const { send } = receiving({ fields: { avatar: { maxCount: 1 }, pages: {} } });
  const form = formOf({ avatar: fileOf("a"), pages: fileOf("b") });
  form.append("pages", fileOf("c"));
  const { req } = await send(form);
  const names = Object.entries<UploadedFile[]>(req.files).map(([name, files]) => [name, files.length]);
  assertEquals(names, [["avatar", 1], ["pages", 2]]);
  assertEquals(Object.getPrototypeOf(req.files), null);
  assertEquals(req.file, req.files["avatar"][0]);
  assertEquals({ ...(await send(formOf({ a: "1" }))).req.files }, {});
});

Deno.test("no name of a field reaches a prototype", async () => {
  const { req } = await receiving().send(formOf({ ["__proto__"]: "1", constructor: "2", toString: "3" }));
  assertEquals(Object.getPrototypeOf(req.body), null);
  assertEquals(Object.keys(req.body), ["constructor", "toString"]);
});

Deno.test("requests that are no forms pass, and other parsers read them", async () => {
  const app = sluice().set("env", "test").use(upload(), json());
  app.post("/", (req, res) => res.json(req.body ?? "no body"));
  app.get("/", (req, res) => res.json(req.body ?? "no body"));
  const headers = { "content-type": "application/json" };
  assertEquals(await (await app.inject("/", { method: "POST", body: "[1]", headers })).json(), [1]);
  assertEquals(await (await app.inject("/")).json(), "no body");
});

Deno.test("a field may be required: a form without its file is refused with 400, and what is no form with 415", async () => {
  const fields = { avatar: { maxCount: 1, required: true }, more: {} };
  const { app, send } = receiving({ fields });
  assertEquals((await send(formOf({ avatar: fileOf("a") }))).status, 200);
  const { status, error } = await send(formOf({ more: fileOf("b"), avatar: "text" }));
  assertEquals([status, error.code, error.field], [400, "MISSING_FILE", "avatar"]);
  const json = await app.inject("/", { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
  await json.text();
  assertEquals(json.status, 415);
});

Deno.test("with names of fields, JSON in another one is a field, with the name of a file or without", async () => {
  const { send } = receiving({ fields: { avatar: {} }, types: ["image/*"] });
  const file = fileOf("{}", "a.json", "application/json");
  const { status, req } = await send(formOf({ meta: new File(['{"a":1}'], "blob", { type: "application/json" }) }));
  assertEquals([status, req.body, req.file], [200, { meta: '{"a":1}' }, undefined]);
  assertEquals((await send(formOf({ avatar: file }))).error.code, "UNSUPPORTED_TYPE");
  const long = fileOf("x".repeat(101 * 1024), "blob", "application/json");
  assertEquals((await send(formOf({ meta: long }))).error.code, "LIMIT_FIELD_VALUE");
});

Deno.test("a request that is no form has no files, so that handlers need not ask", async () => {
  const app = sluice().set("env", "test");
  app.post("/list", upload(), (req, res) => void res.json(req.files.length));
  app.post("/named", upload({ fields: { a: {} } }), (req, res) => void res.json(Object.keys(req.files).length));
  for (const path of ["/list", "/named"]) {
    assertEquals(await (await app.inject(path, { method: "POST" })).json(), 0);
  }
});

Deno.test("where a form is required, anything else is refused with 415", async () => {
  const { app, send } = receiving({ required: true });
  const { status } = await app.inject("/", { method: "POST", body: "x", headers: { "content-type": "text/plain" } });
  assertEquals(status, 415);
  assertEquals((await app.inject("/", { method: "POST" })).status, 415);
  assertEquals((await send(formOf({ a: "1" }))).status, 200);
});

Deno.test("lists of routes show its limits", () => {
  const app = sluice();
  app.post("/", upload({ limits: { files: 3 } }), (_req, res) => res.end());
  const [route] = app.router.getRegisteredRoutes("", { details: true });
  assertMatch(JSON.stringify(route), /"name":"upload".*"files":3,/);
});

Deno.test("it works in routers, mounts and routes, and has a name there", async () => {
  const app = sluice();
  const router = Router().post("/in", upload(), (req, res) => res.json(req.body));
  app.use("/mounted", upload(), Router().post("/behind", (req, res) => res.json(req.body)));
  app.use("/router", router);
  for (const path of ["/mounted/behind", "/router/in"]) {
    const response = await app.inject(path, { method: "POST", body: formOf({ a: "1" }) });
    assertEquals(await response.json(), { a: "1" });
  }
  assertEquals(upload().name, "upload");
});

const REFUSALS: readonly [string, UploadOptions, BodyInit, number, string, string?][] = [
  ["a file that is too large", { limits: { fileSize: 2 } }, formOf({ a: fileOf("123") }), 413, "LIMIT_FILE_SIZE", "a"],
  ["too many files", { limits: { files: 1 } }, formOf({ a: fileOf(""), b: fileOf("") }), 413, "LIMIT_FILE_COUNT", "b"],
  ["too many fields", { limits: { fields: 1 } }, formOf({ a: "", b: "" }), 413, "LIMIT_FIELD_COUNT", "b"],
  ["a value that is too long", { limits: { fieldSize: 2 } }, formOf({ a: "123" }), 413, "LIMIT_FIELD_VALUE", "a"],
  ["a name that is too long", { limits: { fieldNameSize: 2 } }, formOf({ ö1: "" }), 413, "LIMIT_FIELD_KEY", "ö1"],
  ["too many parts", { limits: { parts: 1 } }, formOf({ a: "", b: fileOf("") }), 413, "LIMIT_PART_COUNT", "b"],
  ["a body that is too long", { limits: { total: 80 } }, part('name="a"', "1".repeat(99)), 413, "LIMIT_TOTAL_SIZE"],
  ["headers that are too long", {}, part('name="a"', "", `X: ${"x".repeat(8192)}`), 413, "LIMIT_HEADER_SIZE"],
  ["endless space", {}, `--B${" ".repeat(9000)}`, 413, "LIMIT_HEADER_SIZE"],
  ["a file too many of a field", { fields: { a: { maxCount: 1 } } }, twice(), 413, "LIMIT_UNEXPECTED_FILE", "a"],
  ["a field nobody expects", { fields: { b: {} } }, formOf({ a: fileOf("") }), 400, "LIMIT_UNEXPECTED_FILE", "a"],
  ["a type", { types: ["image/*", "text/css"] }, formOf({ a: fileOf("") }), 415, "UNSUPPORTED_TYPE", "a"],
  ["a field's type", typed("image/png"), formOf({ a: fileOf("", "x", "image/gif") }), 415, "UNSUPPORTED_TYPE", "a"],
  ["no end", {}, part('name="a"', "1"), 400, "MALFORMED_FORM", "a"],
  ["no end of the headers", {}, '--B\r\nContent-Disposition: form-data; name="a"', 400, "MALFORMED_FORM"],
  ["no name", {}, part("x=y", "1"), 400, "MISSING_FIELD_NAME"],
  ["no memory", { limits: { memory: 2 } }, formOf({ a: fileOf("123") }), 503, "LIMIT_MEMORY", "a"],
];

function twice(): FormData {
  const form = formOf({ a: fileOf("") });
  form.append("a", fileOf(""));
  return form;
}

function typed(type: string): UploadOptions {
  return { types: ["image/*"], fields: { a: { types: [type] } } };
}

for (const [name, options, body, status, code, field] of REFUSALS) {
  Deno.test(`${name} is refused with ${status} and ${code}`, async () => {
    const seen = await receiving(options).send(body);
    assertEquals([seen.status, seen.error.code, seen.error.field], [status, code, field]);
    if (field !== undefined) assertMatch(seen.error.message, new RegExp(`\\(in the field "${field}"\\)$`));
    assertEquals([seen.req.file, seen.req.files], [undefined, undefined]);
  });
}

Deno.test("a body that announces too much is refused before any of it is read", async () => {
  const { app } = receiving({ limits: { total: 1000 } });
  const body = chunked(["never"]);
  const headers = { "content-type": "multipart/form-data; boundary=B", "content-length": "1001" };
  assertEquals((await app.inject("/", { method: "POST", body, headers })).status, 413);
  assertEquals(body.taken, 0);
});

Deno.test("types that are allowed pass, whatever their case and parameters", async () => {
  const { send } = receiving({ types: ["image/*", "Text/CSS"] });
  const body = part('name="a"; filename="a"', "", "Content-Type: IMAGE/svg+xml") +
    part('name="b"; filename="b"', "", "Content-Type: text/css; charset=utf-8") + "--B--";
  assertEquals((await send(body)).status, 200);
});

Deno.test("a type, or the name of a header, that only looks like another one is none", async () => {
  const { send } = receiving({ types: ["image/*", "video/x-matroska"] });
  const sent = async (...headers: string[]) =>
    (await send(part('name="a"; filename="a"', "", ...headers) + "--B--")).status;
  assertEquals(await sent("Content-Type: \t image/png \t"), 200);
  for (const blank of ["\u00a0", "\u2000", "\u3000", "\ufeff"]) {
    assertEquals(await sent(`Content-Type: ${blank}image/png`), 415, JSON.stringify(blank));
    assertEquals(await sent(`Content-Type: image/png${blank}; a=b`), 415, JSON.stringify(blank));
    assertEquals(await sent(`${blank}Content-Type: image/png`), 400, JSON.stringify(blank));
  }
  assertEquals([await sent("Content-Type: video/x-matroska"), await sent("Content-Type: video/x-matros\u212aa")], [
    200,
    415,
  ]);
});

Deno.test("a boundary that is missing or improper is 400, and a coded form 415", async () => {
  const { app } = receiving();
  const form = "multipart/form-data";
  const long = "b".repeat(71);
  for (const type of [form, `${form}; boundary=`, `${form}; boundary="a\\"b"`, `${form}; boundary=${long}`]) {
    assertEquals((await app.inject("/", { method: "POST", body: "", headers: { "content-type": type } })).status, 400);
  }
  const headers = { "content-type": `${form}; boundary=B`, "content-encoding": "gzip" };
  assertEquals((await app.inject("/", { method: "POST", body: "--B--", headers })).status, 415);
});

Deno.test("what an earlier middleware has read is no form without an end, but a mistake of the program", async () => {
  const app = sluice().set("env", "test");
  app.post("/", upload(), upload(), (_req, res) => res.send("never"));
  const errors: unknown[] = [];
  const note: ErrorRequestHandler = (error, req, res, _next) => {
    errors.push(error.message, req.file.originalname, req.files.length);
    res.status(error.status ?? 500).end();
  };
  app.use(note);
  const response = await app.inject("/", { method: "POST", body: formOf({ a: fileOf("1") }) });
  assertEquals(response.status, 500);
  assertMatch(String(errors.shift()), /an earlier middleware has read it/);
  // from the first form
  assertEquals(errors, ["f.txt", 1]);
});

Deno.test("a form that stops coming is 408 after the application's body timeout", async () => {
  using timers = virtualTimers();
  const { app, send } = receiving();
  app.set("body timeout", 1000);
  let asked = false;
  const stalled = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      asked ? new Promise<void>(() => {}) : (asked = true, controller.enqueue(encoder.encode("--B"))),
  });
  const seen = send(stalled);
  await timers.advance(2000);
  assertEquals((await seen).status, 408);
});

Deno.test("memory is shared by every upload() of the process, and the form that arrives slowest makes room", async () => {
  await withOwnClock(async (setTo) => {
    const app = sluice().set("env", "test");
    const fail: ErrorRequestHandler = (error, _req, res, _next) =>
      void res.status(error.status).set(error.headers ?? {}).json(error.code);
    for (const path of ["/one", "/other"]) {
      app.post(path, upload({ limits: { memory: 1000 } }), (_req, res) => res.send("done"));
    }
    app.use(fail);
    const open = (path: string, bytes: number) => {
      let controller!: ReadableStreamDefaultController<Uint8Array>;
      const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const headers = { "content-type": "multipart/form-data; boundary=B" };
      const response = app.inject(path, { method: "POST", body, headers });
      send(`--B\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${"x".repeat(bytes)}\r\n`);
      return { response, end: () => send("--B--\r\n"), close: () => controller.close() };
    };
    const told = async ({ response }: ReturnType<typeof open>) => {
      const seen = await response;
      return [seen.status, await seen.text(), seen.headers.get("connection")];
    };
    const slow = open("/one", 700);
    const turn = () => new Promise((resolve) => setTimeout(resolve));
    await turn();
    const early = open("/other", 700);
    assertEquals(await told(early), [503, '"LIMIT_MEMORY"', null]);
    setTo(5000);
    const late = open("/other", 700);
    assertEquals(await told(slow), [408, '"LIMIT_MEMORY"', "close"]);
    late.end();
    late.close();
    assertEquals(await told(late), [200, "done", null]);
  });
});

Deno.test("memory counts for all requests together, until their responses are over", async () => {
  const app = sluice().set("env", "test");
  const release: (() => void)[] = [];
  app.post("/", upload({ limits: { memory: 5 } }), (_req, res) => void release.push(() => res.send("done")));
  const send = () => app.inject("/", { method: "POST", body: formOf({ a: fileOf("123") }) });
  const first = send();
  await until(() => release.length === 1, "the first is there");
  const refused = await send();
  assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  release[0]!();
  await (await first).text();
  const third = send();
  await until(() => release.length === 2, "there is room again");
  release[1]!();
  assertEquals((await third).status, 200);
});

Deno.test("files in a folder have random names, belong to the owner alone, and stay", async () => {
  await withFolder(async (folder, names) => {
    const { send } = receiving({ dest: `${folder}/made` });
    const { req } = await send(formOf({ a: fileOf("content", "../../../etc/passwd") }));
    const { originalname, destination, filename, path, size } = req.file;
    assertEquals([originalname, destination, size, names()], ["passwd", `${folder}/made`, 7, ["made"]]);
    assertMatch(filename, /^[\da-f-]{36}$/);
    assertEquals(path, `${folder}/made/${filename}`);
    assertEquals(await Deno.readTextFile(path), "content");
    assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
  });
});

Deno.test("a form that is refused leaves no file, neither whole nor in part", async () => {
  await withFolder(async (folder, names) => {
    const { send } = receiving({ dest: folder, limits: { fileSize: 100_000 } });
    const first = part('name="a"; filename="a"', "whole");
    const second = part('name="b"; filename="b"', "part");
    for (const body of [first + part('name="b"; filename="b"', "x".repeat(200_000)), first + second.slice(0, -3)]) {
      let present = 0;
      const status = (await send(chunked((function* () {
        for (let at = 0; at < body.length; at += 50_000) {
          yield body.slice(at, at + 50_000);
          present = Math.max(present, names().length);
        }
      })()))).status;
      assert(status === 413 || status === 400);
      assertEquals(names(), []);
      if (status === 413) assertEquals(present, 2);
    }
  });
});

Deno.test("files that are not kept are removed when the response is over, unless the program has moved them", async () => {
  await withFolder(async (folder, names) => {
    const app = sluice();
    app.post("/", upload({ dest: folder, keep: false }), async (req, res) => {
      await Deno.rename(req.files[0]!.path!, `${folder}/moved`);
      res.json(names().length);
    });
    const response = await app.inject("/", { method: "POST", body: formOf({ a: fileOf("1"), b: fileOf("2") }) });
    assertEquals(await response.json(), 2);
    await until(() => names().length === 1, "the other one is removed");
    assertEquals(names(), ["moved"]);
  });
});

Deno.test("where a runtime has no files, a folder is refused when the middleware is made", () => {
  const { process } = globalThis as unknown as { process: { getBuiltinModule?: unknown } };
  const { getBuiltinModule } = process;
  try {
    delete process.getBuiltinModule;
    process.getBuiltinModule = undefined;
    assertThrows(() => upload({ dest: "x" }), Error, "this runtime has no files");
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
});

Deno.test("a function gets each file as a stream, and the fields that came before it", async () => {
  const seen: unknown[] = [];
  const to = async ({ stream, ...claims }: IncomingFile, req: Request) => {
    seen.push([claims, { ...req.body }]);
    return (await new Response(stream).text()).toUpperCase();
  };
  const { send } = receiving({ storage: to });
  const { req } = await send(formOf({ a: "1", f: fileOf("one"), b: "2", g: fileOf("two") }));
  const claims = { originalname: "f.txt", mimetype: "text/plain" };
  assertEquals(seen, [[{ fieldname: "f", ...claims }, { a: "1" }], [{ fieldname: "g", ...claims }, {
    a: "1",
    b: "2",
  }]]);
  assertEquals(req.files.map(({ size, value }: UploadedFile) => [size, value]), [[3, "ONE"], [3, "TWO"]]);
});

Deno.test("the client is not read faster than a function reads the file", async () => {
  let goOn = () => {};
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const { send } = receiving({
    async storage({ stream }) {
      reader = stream.getReader();
      await reader.read();
      await new Promise<void>((resolve) => goOn = resolve);
      for (;;) if ((await reader.read()).done) return "read";
    },
  });
  const body = chunked([part('name="a"; filename="a"', "x"), ...Array(100).fill("x".repeat(1000)), "\r\n--B--"]);
  const sent = send(body);
  await until(() => reader !== undefined && body.taken > 0, "the function has begun");
  // everything that can run has run
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve, 0));
  assert(body.taken <= 2, `${body.taken} chunks were taken`);
  goOn();
  assertEquals((await sent).status, 200);
  assertEquals(body.taken, 102);
});

Deno.test("what a function does not read of a file is discarded, and the next part is read", async () => {
  const streams: ReadableStream[] = [];
  const { send } = receiving({
    async storage({ fieldname, stream }) {
      streams.push(stream);
      if (fieldname === "cancelled") await stream.cancel();
      if (fieldname === "begun") await stream.getReader().read();
      return "seen";
    },
  });
  const large = "x".repeat(200_000);
  const form = formOf({ ignored: fileOf(large), begun: fileOf(large), cancelled: fileOf(large), last: "1" });
  const { req } = await send(form);
  assertEquals([req.files.map(({ size }: UploadedFile) => size), req.body.last], [[200_000, 200_000, 200_000], "1"]);
  await assertRejects(() => streams[0]!.getReader().read(), TypeError, "must wait until its file is read");
});

Deno.test("a limit counts for what is discarded, too", async () => {
  const { status, error } = await receiving({ storage: () => 1, limits: { fileSize: 10 } }).send(
    formOf({ a: fileOf("x".repeat(11)) }),
  );
  assertEquals([status, error.code], [413, "LIMIT_FILE_SIZE"]);
});

Deno.test("a function sees why a file ends too early, and cannot change what the client is told", async () => {
  for (const swallows of [true, false]) {
    const causes: unknown[] = [];
    const { send } = receiving({
      limits: { fileSize: 10 },
      async storage({ stream }) {
        try {
          await new Response(stream).text();
        } catch (error) {
          causes.push((error as { code?: string }).code);
          if (!swallows) throw new Error("could not be stored", { cause: error });
        }
      },
    });
    const { status, error } = await send(formOf({ a: fileOf("x".repeat(11)) }));
    assertEquals([status, error.code, causes], [413, "LIMIT_FILE_SIZE", ["LIMIT_FILE_SIZE"]]);
  }
});

Deno.test("what a function fails with goes to the error handlers, and what it has kept before is given back", async () => {
  const discarded: unknown[] = [];
  const { send } = receiving<string>({
    storage: {
      take({ fieldname }) {
        if (fieldname === "b") throw new Error("no room");
        return `key of ${fieldname}`;
      },
      discard: ({ value }, req) => void discarded.push([value, req.method]),
    },
  });
  const { status, error } = await send(formOf({ a: fileOf("1"), b: fileOf("2"), c: fileOf("3") }));
  assertEquals([status, error.message, discarded], [500, "no room", [["key of a", "POST"]]]);
});

Deno.test("a discard that fails is reported, and the others are tried", async () => {
  const { app, send } = receiving<string>({
    storage: {
      take: ({ fieldname }) => fieldname,
      discard({ value }) {
        if (value === "a") throw new Error("cannot be removed");
        discarded.push(value);
      },
    },
  });
  const discarded: unknown[] = [];
  const reported: unknown[] = [];
  app.on("error", (error: Error) => reported.push(error.message));
  const body = part('name="a"; filename="a"', "") + part('name="b"; filename="b"', "") + "--B";
  assertEquals((await send(body)).status, 400);
  assertEquals([discarded, reported], [["b"], ["cannot be removed", "the form ends too early"]]);
});

Deno.test("a response that somebody else has sent ends the upload", async () => {
  await withFolder(async (folder, names) => {
    const app = sluice().set("env", "test");
    const errors: unknown[] = [];
    let respond = () => {};
    app.use((_req, res, next) => {
      respond = () => res.status(503).send("too late");
      next();
    });
    app.post("/", upload({ dest: folder }), (_req, res) => res.send("never"));
    const note: ErrorRequestHandler = (error) => void errors.push(error);
    app.use(note);
    const body = chunked((function* () {
      yield part('name="a"; filename="a"', "x").slice(0, -2);
      respond();
      for (;;) yield "x".repeat(1000);
    })());
    const response = await app.inject("/", {
      method: "POST",
      body,
      headers: { "content-type": "multipart/form-data; boundary=B" },
    });
    assertEquals([response.status, await response.text()], [503, "too late"]);
    await until(() => names().length === 0, "the file is removed");
    assertEquals(errors, []);
  });
});

/** A random form part, and its expected result. */
interface MadePart {
  readonly name: string;
  readonly filename?: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

// bytes, many of them from delimiters
function contentFor(pick: Pick, boundary: string): Uint8Array<ArrayBuffer> {
  const pieces = [
    "\r\n",
    "\r",
    "\n",
    "--",
    "-",
    `--${boundary}`.slice(0, -1),
    `\r\n--${boundary.slice(1)}`,
    "x",
    "\0ÿ",
  ];
  const text = Array.from({ length: pick(40) }, () => oneOf(pick, pieces)).join("");
  const end = `--${boundary}`;
  // the one thing that content cannot contain: a line that begins with a delimiter
  return encoder.encode(`\r\n${text}`.includes(`\r\n${end}`) ? "" : text);
}

function bodyOf(parts: readonly MadePart[], boundary: string, pick: Pick): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array<ArrayBuffer>[] = [encoder.encode(oneOf(pick, ["", "preamble\r\n", "\r\n", "--\r\n"]))];
  for (const { name, filename, content } of parts) {
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    pieces.push(encoder.encode(head), content, encoder.encode("\r\n"));
  }
  pieces.push(encoder.encode(`--${boundary}--${oneOf(pick, ["", "\r\n", "\r\nepilogue", `\r\n--${boundary}\r\n`])}`));
  return new Uint8Array(pieces.flatMap((piece) => [...piece]));
}

function* cut(body: Uint8Array<ArrayBuffer>, pick: Pick, most: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < body.length;) {
    const length = pick(most) + 1;
    yield body.slice(at, at += length);
  }
}

for (
  const [how, end] of Object.entries<(res: SluiceResponse) => unknown>({
    "responded": (res) => res.status(503).send("too late"),
    "destroyed the response": (res) => res.destroy(),
  })
) {
  Deno.test(`a form that stops arriving leaves no file once somebody else has ${how}`, async () => {
    await withFolder(async (folder, names) => {
      const app = sluice().set("env", "test");
      let res: SluiceResponse | undefined;
      app.use((_req, given, next) => {
        res = given;
        next();
      });
      app.post("/", upload({ dest: folder }), (_req, res) => res.send("never"));
      const begun = encoder.encode(part('name="a"; filename="a"', "x".repeat(1000)).slice(0, -2));
      const response = app.inject("/", {
        method: "POST",
        body: new ReadableStream({ start: (controller) => controller.enqueue(begun) }),
        headers: { "content-type": "multipart/form-data; boundary=B" },
      });
      await until(() => names().length === 1, "the file has begun");
      end(res!);
      await response.then((one) => one.text()).catch(() => {});
      await until(() => names().length === 0, "the file is removed");
      await app.close();
    });
  });
}

Deno.test("a form is the same however it is cut", async () => {
  const pick = random(20_261_127);
  for (let round = 0; round < 300; round++) {
    const boundary = oneOf(pick, ["B", "--", "----x----x", "-".repeat(70), "'()+_,./:=?"]);
    const parts: MadePart[] = Array.from({ length: pick(5) }, (_, i) => ({
      name: `part${i}`,
      content: contentFor(pick, boundary),
      ...(pick(2) === 0 ? {} : { filename: "f" }),
    }));
    const body = bodyOf(parts, boundary, pick);
    const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
    for (const most of [1, 3, 80, 1000]) {
      const app = sluice().set("env", "test");
      let seen: unknown;
      app.post("/", upload(), (req, res) => {
        seen = [{ ...req.body }, req.files.map(({ buffer }: UploadedFile) => [...buffer!])];
        res.end();
      });
      const response = await app.inject("/", { method: "POST", body: chunked(cut(body, pick, most)), headers });
      const text = new TextDecoder().decode(body);
      assertEquals(response.status, 200, `${round}: ${JSON.stringify(text)} ${await response.text()}`);
      const fields = parts.filter(({ filename }) => filename === undefined);
      assertEquals(seen, [
        Object.fromEntries(fields.map(({ name, content }) => [name, new TextDecoder().decode(content)])),
        parts.filter(({ filename }) => filename !== undefined).map(({ content }) => [...content]),
      ], text);
    }
  }
});

Deno.test("hostile contents and boundaries take no longer than others", async () => {
  const contents = ["\r", "\r\n", "\r\n-", `\r\n--${"a".repeat(69)}`];
  for (const content of contents) {
    const boundary = "a".repeat(70);
    const text = content.repeat(Math.ceil(MIB / content.length));
    const body = part('name="a"; filename="a"', text).replace("--B", `--${boundary}`) + `--${boundary}--`;
    const begun = performance.now();
    const app = sluice();
    app.post("/", upload(), (req, res) => res.json(req.file?.size));
    const response = await app.inject("/", {
      method: "POST",
      body,
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    });
    assertEquals(await response.json(), text.length);
    assert(performance.now() - begun < 5000, JSON.stringify(content));
  }
});

Deno.test("options that are wrong are refused when the middleware is made", () => {
  const refused: [unknown, RegExp][] = [
    [7, /upload: options must be an object/],
    [{ dest: 7 }, /option dest must be a string, not 7/],
    [{ to: "disk" }, /option storage must be a function, or .*, not "disk"/],
    [{ fileFilter() {} }, /upload: there is no option fileFilter; use types/],
    [{ storage: "disk" }, /option storage must be a function, or .*, not "disk"/],
    [{ storage: { path: "x" } }, /option storage must be/],
    [{ dest: "x", storage() {} }, /options dest and storage cannot be combined/],
    [{ dest: "x", keep: 1 }, /option keep must be true or false/],
    [{ keep: false }, /option keep is for files in dest/],
    [{ storage: { take: () => {}, keep: true } }, /upload: storage: there is no option keep; there are take, discard/],
    [{ storage: { take: () => {}, discard: 1 } }, /option storage.discard must be a function/],
    [{ limits: { fileSize: -1 } }, /limits.fileSize must be an integer from 0/],
    [{ limits: { fileSize: "1mb" } }, /limits.fileSize must be a number/],
    [{ limits: { filesize: 1 } }, /upload: limits: there is no option filesize; did you mean fileSize/],
    [{ types: "image/*" }, /option types must be a list of media types/],
    [{ types: [] }, /option types must be a list/],
    [{ types: ["png"] }, /option types must be a list of media types such as .*, not "png"/],
    [{ fields: "avatar" }, /option fields must be an object/],
    [
      { fields: ["avatar"] },
      /option fields must be an object by the names of fields, such as { avatar: { maxCount: 1 } }/,
    ],
    [{ fields: { a: { most: 1 } } as never }, /upload: field "a": there is no option most/],
    [{ fields: { a: { maxCount: 0 } } }, /option fields.a.maxCount must be an integer from 1/],
    [{ fields: { a: { types: ["x"] } } }, /option fields.a.types must be a list of media types/],
    [{ required: 1 }, /option required must be true or false/],
  ];
  for (const [options, message] of refused) {
    const error = assertThrows(() => upload(options as UploadOptions)) as Error;
    assertMatch(error.message, message);
    assert(error instanceof TypeError || error instanceof RangeError);
  }
});

Deno.test("single and array receive files of one field, where multer puts them", async () => {
  const app = sluice().set("env", "test");
  const images = upload({ types: ["text/plain"] });
  app.post("/one", images.single("avatar"), (req, res) => res.json([req.file?.fieldname, req.files.length]));
  app.post("/some", images.array("photos", 2), (req, res) => res.json(req.files.map((one: UploadedFile) => one.size)));
  const onError: ErrorRequestHandler = (error, _req, res, _next) => void res.status(error.status).end();
  app.use(onError);
  const sent = (path: string, body: FormData) => app.inject(path, { method: "POST", body });
  assertEquals(await (await sent("/one", formOf({ avatar: fileOf("a") }))).json(), ["avatar", 1]);
  assertEquals((await sent("/one", formOf({ other: fileOf("a") }))).status, 400);
  const photos = formOf({ photos: fileOf("a") });
  photos.append("photos", fileOf("bc"));
  assertEquals(await (await sent("/some", photos)).json(), [1, 2]);
  photos.append("photos", fileOf("d"));
  assertEquals((await sent("/some", photos)).status, 413);
  assertThrows(() => images.single(""), TypeError, "upload.single: option name must be the name of a field");
  assertThrows(() => images.array("a", 0), RangeError, "upload.array: option maxCount");
});

Deno.test("fields, any and none share the options of one upload, as in multer", async () => {
  const app = sluice().set("env", "test");
  const files = upload({ types: ["text/plain"] });
  app.post("/fields", files.fields([{ name: "avatar", maxCount: 1 }, { name: "photos" }]), (req, res) => {
    res.json([req.files.avatar?.length, req.files.photos?.map((one) => one.size)]);
  });
  app.post("/any", files.any(), (req, res) => res.json(req.files.map((one) => one.fieldname)));
  app.post("/none", files.none(), (req, res) => res.json([req.body.title, req.files.length]));
  const onError: ErrorRequestHandler = (error, _req, res, _next) => void res.status(error.status).send(error.code);
  app.use(onError);
  const sent = (path: string, body: FormData) => app.inject(path, { method: "POST", body });
  const both = formOf({ avatar: fileOf("a"), photos: fileOf("bc") });
  assertEquals(await (await sent("/fields", both)).json(), [1, [2]]);
  assertEquals(await (await sent("/any", both)).json(), ["avatar", "photos"]);
  assertEquals(await (await sent("/fields", formOf({ other: fileOf("a") }))).text(), "LIMIT_UNEXPECTED_FILE");
  assertEquals(await (await sent("/none", formOf({ other: fileOf("a") }))).text(), "LIMIT_UNEXPECTED_FILE");
  assertEquals(await (await sent("/none", formOf({ title: "a" }))).json(), ["a", 0]);
  for (const given of [undefined, "avatar", ["avatar"], [{ maxCount: 1 }]]) {
    assertThrows(() => files.fields(given as never), TypeError, 'list must be such as [{ name: "avatar" }]');
  }
});

Deno.test("what multer has on its function says what to write", () => {
  // deno-lint-ignore no-explicit-any -- what plain JavaScript may write
  const any = upload as any;
  assertThrows(
    () => any.memoryStorage(),
    TypeError,
    "there is no upload.memoryStorage; write upload(), without storage",
  );
  assertThrows(() => any.diskStorage({}), TypeError, 'write upload({ dest: "uploads" })');
  assertThrows(() => any.single("f"), TypeError, 'write upload().single("avatar")');
});
