/** Editor hovers for handler arguments, the methods every program calls, and settings. */
import { assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = new URL("../../", import.meta.url);
const TEXT = `
  import express from "../../mod.ts";
  const app = express();
  app.get("/users/:id", (/*req*/req, /*res*/res) => {
    const { /*id*/id } = req.params;
    req./*params*/params;
    req./*query*/query;
    res.send(id);
  });
  app.route("/files/:id{/:part}/*path").get((req) => req./*of a route*/params);
  app.group("/t/:tenant", (group) => group.get("/:id", (req) => req./*in a group*/params));
  app.ws("/rooms/:room", { open: (ws) => ws.data./*of a socket*/params });
`;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  types: [],
};

const CALLS = `
  import express from "../../mod.ts";
  const app = express();
  app./*app.get*/get("/users/:id", (req, res) => {
    res./*res.set*/set("X-A", "b").json(req.params);
  });
  app./*app.get of a setting*/get("env");
  app./*app.post*/post("/notes", express.json(), (req, res) => void res.json(req.body));
  app./*app.use*/use((_req, _res, next) => next());
  app./*app.use of several*/use(express.json(), express.urlencoded());
  app./*app.use of a path*/use("/static", express.static("public"));
  app./*app.ws*/ws("/rooms/:room", { message: (ws, text) => void ws.send(text) });
  app./*app.set*/set("trust proxy", 1);
  express.Router()./*router.get*/get("/", (_req, res) => void res.end());
  express.Router()./*router.use*/use((_req, _res, next) => next());
  express.Router()./*router.ws*/ws("/", { message: (ws, text) => void ws.send(text) });
`;
const SETTING = `import express from "../../mod.ts"; express().set("/*name*/", 1);`;

/** Programs open in the editor, by path. */
const PROGRAMS = new Map(
  [TEXT, CALLS, SETTING].map((text, i) => [fileURLToPath(new URL(`tests/types/shown_${i}.ts`, ROOT)), text]),
);

const editor = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [...PROGRAMS.keys()],
  getScriptVersion: () => "1",
  getScriptSnapshot: (path) => {
    const text = PROGRAMS.get(path) ?? ts.sys.readFile(path);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => fileURLToPath(ROOT),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (path) => PROGRAMS.has(path) || ts.sys.fileExists(path),
  readFile: ts.sys.readFile,
});

function pathOf(program: string): string {
  return [...PROGRAMS].find(([, text]) => text === program)![0];
}

/** The hover information for the name after each comment in a program. */
function shown(program: string): { name: string; info: ts.QuickInfo | undefined }[] {
  const marks = [...program.matchAll(/\/\*([\w. ]+)\*\//g)];
  return marks.map(({ 0: mark, 1: name, index }) => ({
    name: name!,
    info: editor.getQuickInfoAtPosition(pathOf(program), index + mark.length),
  }));
}

Deno.test("editors show the parameters of a path, and no name of a type that makes them", () => {
  const request = "Request<{ id: string; }, any, any, ParsedQs, Record<string, any>>";
  const framework = "FrameworkRequest";
  const ofRoute = "{ id: string; part?: string | undefined; path: string[]; }";
  const ofGroup = "{ id: string; } & { tenant: string; }";
  const texts = shown(TEXT).map(({ name, info }) => [
    name,
    (info?.displayParts ?? []).map(({ text }) => text).join("").replaceAll(/\s+/g, " "),
  ]);
  assertEquals(Object.fromEntries(texts), {
    "req": `(parameter) req: ${request}`,
    "res": "(parameter) res: Response<any, Record<string, any>, number>",
    "id": "const id: string",
    "params": `(property) ${framework}<{ id: string; }, any, ParsedQs>.params: { id: string; }`,
    "query": `(property) ${framework}<{ id: string; }, any, ParsedQs>.query: ParsedQs`,
    "of a route": `(property) ${framework}<${ofRoute}, any, ParsedQs>.params: ${ofRoute}`,
    "in a group": `(property) ${framework}<${ofGroup}, any, ParsedQs>.params: ${ofGroup}`,
    "of a socket": "(property) ConnectionData<{ room: string; }>.params: { room: string; }",
  });
});

Deno.test("editors show a program that calls what every program calls", () => {
  const calls = shown(CALLS);
  assertEquals(calls.length, 12);
  for (const { name, info } of calls) {
    const examples = info?.tags?.filter((tag) => tag.name === "example") ?? [];
    const text = examples.flatMap(({ text }) => text ?? []).map(({ text }) => text).join("");
    const [, method = ""] = name.match(/^\w+\.(\w+)/) ?? [];
    assertMatch(text, new RegExp(`\`\`\`ts\\n[^]*\\.(?:${method}|get|post)\\(`), name);
  }
});

Deno.test("editors complete the names of settings", () => {
  const completed = editor.getCompletionsAtPosition(pathOf(SETTING), SETTING.indexOf("/*name*/"), {});
  const names = completed?.entries.map(({ name }) => name) ?? [];
  assertEquals(["env", "trust proxy", "view engine"].filter((name) => !names.includes(name)), []);
});
