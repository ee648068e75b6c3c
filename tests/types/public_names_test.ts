/**
 * Names that programs see on Sluice's objects, in an editor and at run time: Express's, the web's, and documented ones.
 */
import { assert, assertEquals } from "@std/assert";
import express from "express";
import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { Limiter, MemoryStore, rateLimit } from "../../advanced/mod.ts";
import sluice, { Router, type WebSocketConnection } from "../../mod.ts";
import { npmPackages } from "../../scripts/shared_builds.ts";
import { OWN_NAMES } from "./support/own_names.ts";

type Subject = keyof typeof OWN_NAMES;

const SUBJECTS = Object.keys(OWN_NAMES) as Subject[];

/** Names on an object and its prototypes, except those on `Object.prototype`. */
function namesOf(object: object): Set<string> {
  const names = new Set<string>();
  for (let one: object | null = object; one !== null && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) names.add(name);
  }
  return names;
}

/** Names on Express's own objects during a request, and on similar objects in Node and the web. */
async function knownNames(): Promise<Record<Subject, Set<string>>> {
  const app = express();
  const router = express.Router();
  const served = Promise.withResolvers<[object, object]>();
  const route = router.route("/");
  route.get((req, res) => {
    served.resolve([req, res]);
    res.end();
  });
  app.use(router);
  // only a mounted application has a property for its parent
  express().use(app);
  const server = createServer(app).listen(0);
  await new Promise((resolve) => server.once("listening", resolve));
  await (await fetch(`http://localhost:${(server.address() as { port: number }).port}/`)).body?.cancel();
  const [req, res] = (await served.promise).map(namesOf) as [Set<string>, Set<string>];
  await new Promise((resolve) => server.close(resolve));
  const emitter = namesOf(EventEmitter.prototype);
  return {
    app: namesOf(app),
    router: namesOf(router),
    route: namesOf(route),
    req: req.union(namesOf(Request.prototype)),
    res,
    ws: namesOf(WebSocket.prototype),
    limiter: emitter,
    store: new Set(["constructor"]),
    middleware: namesOf(Function.prototype).union(new Set(["prototype"])),
  };
}

const TEXT = `
import sluice, { Router } from "@sluice/sluice";
import { Limiter, MemoryStore, rateLimit } from "@sluice/rate-limit";
const app = sluice(), router = Router(), route = app.route("/");
const limiter = new Limiter(), store = new MemoryStore(), middleware = rateLimit({ max: 1 });
app./*app*/; router./*router*/; route./*route*/; limiter./*limiter*/; store./*store*/; middleware./*middleware*/;
app.get("/:id", (req, res) => { req./*req*/; res./*res*/; });
app.ws("/:id", { open: (ws) => { ws./*ws*/; } });
`;

/** A name that an editor offers. */
interface Offered {
  readonly name: string;
  /** Whether the editor shows its purpose, and does not mark it as internal. */
  isDocumented(): boolean;
}

/** Names an editor offers after each dot, with the declarations npm users get. */
async function completions(text: string): Promise<Record<Subject, Offered[]>> {
  const { libraries } = await npmPackages();
  const paths = libraries.map(({ name, folder }) => [name, [fileURLToPath(new URL("types/mod.d.ts", folder))]]);
  const program = fileURLToPath(new URL("program.ts", libraries[0]!.folder));
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      strict: true,
      paths: Object.fromEntries(paths),
      types: [],
    }),
    getScriptFileNames: () => [program],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const found = path === program ? text : ts.sys.readFile(path);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => fileURLToPath(libraries[0]!.folder),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === program || ts.sys.fileExists(path),
    readFile: ts.sys.readFile,
  });
  const marks = [...text.matchAll(/\/\*(\w+)\*\//g)];
  return Object.fromEntries(marks.map(({ 1: name, index }) => {
    const entries = service.getCompletionsAtPosition(program, index, {})?.entries ?? [];
    return [
      name!,
      entries.map(({ name }) => ({ name, isDocumented: () => isDocumented(service, program, index, name) })),
    ];
  })) as Record<Subject, Offered[]>;
}

function isDocumented(service: ts.LanguageService, program: string, position: number, name: string): boolean {
  const details = service.getCompletionEntryDetails(program, position, name, {}, undefined, {}, undefined);
  const isInternal = details?.tags?.some((tag) => tag.name === "internal") ?? false;
  return (details?.documentation?.length ?? 0) > 0 && !isInternal;
}

/** Objects that programs have during a request or a connection. */
async function liveObjects(): Promise<Record<Subject, object>> {
  const app = sluice();
  const router = Router();
  const served = Promise.withResolvers<[object, object]>();
  const opened = Promise.withResolvers<WebSocketConnection>();
  router.get("/", (req, res) => {
    served.resolve([req, res]);
    res.send("text");
  });
  app.use(router).ws("/", { open: opened.resolve as (ws: WebSocketConnection) => void });
  await app.inject("/");
  const [req, res] = await served.promise;
  const { port } = await new Promise<{ port: number }>((resolve) => {
    const server = app.listen(0, () => resolve({ port: server.port }));
  });
  const socket = new WebSocket(`ws://localhost:${port}/`);
  const closed = new Promise((resolve) => socket.onclose = resolve);
  const ws = await opened.promise;
  await app.close();
  await closed;
  const [limiter, store, middleware] = [new Limiter({ max: 1 }), new MemoryStore(), rateLimit({ max: 1 })];
  return { app, router, route: router.route("/"), req, res, ws, limiter, store, middleware };
}

/** Names that are neither known nor in `OWN_NAMES`. */
function unexplained(
  found: (subject: Subject) => Iterable<string>,
  known: Record<Subject, Set<string>>,
): Record<string, string[]> {
  const left = SUBJECTS.map((subject) => {
    const own = new Set<string>(OWN_NAMES[subject]);
    return [subject, [...found(subject)].filter((name) => !known[subject].has(name) && !own.has(name)).sort()] as const;
  });
  return Object.fromEntries(left.filter(([, names]) => names.length > 0));
}

Deno.test("editors offer Express's names, the web's, and those that are documented", async () => {
  const [known, offered] = [await knownNames(), await completions(TEXT)];
  assertEquals(SUBJECTS.filter((subject) => offered[subject].length === 0), []);
  assertEquals(unexplained((subject) => offered[subject].map(({ name }) => name), known), {});
  const undocumented = SUBJECTS.flatMap((subject) =>
    offered[subject].filter(({ name }) => OWN_NAMES[subject].some((own) => own === name))
      .filter((one) => !one.isDocumented()).map(({ name }) => `${subject}.${name}`)
  );
  assertEquals(undocumented, []);
});

Deno.test("so do objects at run time: what is private has no name", async () => {
  const [known, live] = [await knownNames(), await liveObjects()];
  assertEquals(unexplained((subject) => namesOf(live[subject]), known), {});
});

Deno.test("every name that is listed as Sluice's own is there, and is not Express's", async () => {
  const [known, live, offered] = [await knownNames(), await liveObjects(), await completions(TEXT)];
  const stale = SUBJECTS.flatMap((subject) => {
    const found = namesOf(live[subject]).union(new Set(offered[subject].map(({ name }) => name)));
    return OWN_NAMES[subject].filter((name) => !found.has(name) || known[subject].has(name))
      .map((name) => `${subject}.${name}`);
  });
  assertEquals(stale, []);
  assert(SUBJECTS.length > 5);
});
