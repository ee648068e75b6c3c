/** What an editor shows of a handler's arguments. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = new URL("../../", import.meta.url);
const PROGRAM = fileURLToPath(new URL("tests/types/shown_program.ts", ROOT));
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

/** What is shown for the name that follows each comment. */
function shown(): Record<string, string> {
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [PROGRAM],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const text = path === PROGRAM ? TEXT : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => fileURLToPath(ROOT),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === PROGRAM || ts.sys.fileExists(path),
    readFile: ts.sys.readFile,
  });
  const marks = [...TEXT.matchAll(/\/\*([\w ]+)\*\//g)];
  return Object.fromEntries(marks.map(({ 0: mark, 1: name, index }) => {
    const { displayParts = [] } = service.getQuickInfoAtPosition(PROGRAM, index + mark.length) ?? {};
    return [name, displayParts.map(({ text }) => text).join("").replaceAll(/\s+/g, " ")];
  }));
}

Deno.test("editors show the parameters of a path, and no name of a type that makes them", () => {
  const request = "Request<{ id: string; }, any, any, ParsedQs, Record<string, any>>";
  const framework = "FrameworkRequest";
  const ofRoute = "{ id: string; part?: string | undefined; path: string[]; }";
  const ofGroup = "{ id: string; } & { tenant: string; }";
  assertEquals(shown(), {
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
