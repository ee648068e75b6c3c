/** Missing values that programs pass: a header that an upstream did not send, an option that was not set. */
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { type Any, askBoth } from "../support/sluice_and_express.ts";

const FILES = fileURLToPath(new URL("../fixtures/files", import.meta.url));
const FILE = `${FILES}/hello.txt`;
const MISSING: Readonly<Record<string, unknown>> = { undefined: undefined, null: null, empty: "", false: false };

interface Case {
  readonly name: string;
  /** Makes a handler for each missing value. */
  readonly answer: (value: Any, lib: Any) => (req: Any, res: Any, next: Any) => unknown;
}

const CASES: readonly Case[] = [
  {
    name: "a content type leaves the choice to res.send",
    answer: (type) => (_req, res) => res.type("css").set("Content-Type", type).send("text"),
  },
  {
    name: "a content type leaves the choice to res.send, for bytes too",
    answer: (type) => (_req, res) => res.set({ "content-type": type }).send(Buffer.of(1)),
  },
  {
    name: "a content type leaves the choice to res.json",
    answer: (type) => (_req, res) => res.header("Content-Type", type).json({}),
  },
  {
    name: "req.accepts answers with the client's list",
    answer: (offer) => (req, res) =>
      res.json([
        req.accepts(offer),
        req.acceptsCharsets(offer),
        req.acceptsEncodings(offer),
        req.acceptsLanguages(offer),
      ]),
  },
  { name: "req.is matches nothing", answer: (type) => (req, res) => res.json([req.is(type), req.is([type])]) },
  {
    name: "res.set sets nothing",
    answer: (headers) => (_req, res) =>
      res.set("Link", "<a>").set(headers || null).header(headers || undefined).send("x"),
  },
  {
    name: "res.cookie needs no options",
    answer: (options) => (_req, res) => res.cookie("a", "b", options || null).end(),
  },
  {
    name: "res.clearCookie needs no options",
    answer: (options) => (_req, res) => res.clearCookie("a", options || null).end(),
  },
  { name: "res.end needs no chunk", answer: (chunk) => (_req, res) => res.end(chunk, "utf8") },
  {
    name: "res.end needs no chunk after others",
    answer: (chunk) => (_req, res) => {
      res.write("text");
      res.end(chunk);
      res.end(chunk);
    },
  },
  { name: "static files need no maxAge", answer: (maxAge, lib) => lib.static(FILES, { maxAge }) },
  { name: "a file needs no maxAge", answer: (maxAge) => (_req, res) => res.sendFile(FILE, { maxAge }) },
  { name: "a router needs no options", answer: (options, lib) => lib.Router(options || null) },
  {
    name: "a parser's type and charset are the defaults",
    answer: (value, lib) => {
      const parse = lib.text({ type: value, defaultCharset: value });
      return (req, res, next) => parse(req, res, (error: unknown) => error ? next(error) : res.json(req.body ?? null));
    },
  },
  {
    name: "options that are undefined are ignored",
    answer: (_value, lib) =>
      lib.static(FILES, {
        index: undefined,
        dotfiles: undefined,
        etag: undefined,
        extensions: undefined,
        redirect: undefined,
      }),
  },
];

for (const { name, answer } of CASES) {
  Deno.test(`as in Express, where a value is missing: ${name}`, async () => {
    const build = (app: Any, lib: Any) => {
      for (const [at, value] of Object.entries(MISSING)) app.use(`/${at}`, answer(value, lib));
    };
    const german = { headers: { "accept-language": "de" } };
    const posted = { method: "POST", body: new Blob(["größe"], { type: "text/plain" }) };
    const asks = Object.keys(MISSING).flatMap((at) => [
      ...["hello.txt", "folder/", ""].map((path) => ({ path: `/${at}/${path}`, init: german })),
      { path: `/${at}/`, init: posted },
    ]);
    const [ours, theirs] = await askBoth(build, asks);
    assertEquals(ours, theirs);
  });
}

Deno.test("as in Express, reading a header with an invalid name finds nothing", async () => {
  const names = ["two words", "größe", "line\r\nbreak", "(x)"];
  const [ours, theirs] = await askBoth(
    (app) => app.get("/", (req: Any, res: Any) => res.json(names.map((name) => req.get(name) ?? null))),
    [{ path: "/" }],
  );
  assertEquals(ours, theirs);
});
