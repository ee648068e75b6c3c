/** A client by libraries as they are: its types are made by openapi-typescript, and openapi-fetch calls. */
import { openapi, operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import openapiTS, { astToString } from "openapi-typescript";
import { z } from "zod";
import { run } from "../../scripts/process.ts";
import { allImports, TESTS_LOCK } from "../../scripts/tests_config.ts";

const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

export async function use(fetch: (request: Request) => Promise<Response>) {
  const client = createClient<paths>({ baseUrl: "http://localhost", fetch });

  const written = await client.POST("/notes", { body: { text: "Milk" } });
  const note: components["schemas"]["Note"] = written.data!;
  const id: number = note.id;

  const found = await client.GET("/notes/{id}", { params: { path: { id } } });
  const text: string | undefined = found.data?.text;

  const listed = await client.GET("/notes", { params: { query: { limit: 1 } } });
  const texts: string[] = listed.data!.map((one) => one.text);

  const missing = await client.GET("/notes/{id}", { params: { path: { id: 99 } } });
  // what is there depends on what happened
  const reason: string | undefined = missing.error?.title;

  const refused = await client.POST("/notes", { body: { text: "" } });

  return { id, text, texts, missing: [missing.response.status, reason], refused: refused.response.status };
}

export function wrong(client: ReturnType<typeof createClient<paths>>) {
  // @ts-expect-error there is no such path
  client.GET("/note");
  // @ts-expect-error nor such a method
  client.DELETE("/notes");
  // @ts-expect-error the parameter is missing
  client.GET("/notes/{id}");
  // @ts-expect-error it is a number
  client.GET("/notes/{id}", { params: { path: { id: "x" } } });
  // @ts-expect-error the query has another type
  client.GET("/notes", { params: { query: { limit: "many" } } });
  // @ts-expect-error a field has another type
  client.POST("/notes", { body: { text: 7 } });
  // @ts-expect-error the body is missing
  client.POST("/notes");
  // @ts-expect-error there is no such field
  client.GET("/notes/{id}", { params: { path: { id: 1 } } }).then(({ data }) => data?.txt);
}
`;

function notesApp(): FrameworkApp {
  const Draft = z.object({ text: z.string().min(1) }).meta({ id: "Draft" });
  const Note = z.object({ id: z.number(), text: z.string() }).meta({ id: "Note" });
  const Missing = z.object({ title: z.string(), status: z.number() }).meta({ id: "Missing" });
  const notes: z.infer<typeof Note>[] = [];
  const app = sluice().set("env", "test");
  app.use(sluice.json());
  const limit = z.object({ limit: z.coerce.number().int().min(1).optional() });
  app.get("/notes", validate({ query: limit, response: { 200: z.array(Note) } }), (req, res) => {
    res.json(notes.slice(0, Number(req.query.limit ?? 100)));
  });
  app.post("/notes", validate({ body: Draft, response: { 201: Note } }), (req, res) => {
    const note = { id: notes.length + 1, text: req.body.text };
    notes.push(note);
    res.status(201).json(note);
  });
  const params = z.object({ id: z.coerce.number().int() });
  const described = operation({ responses: { 404: { schema: Missing } } });
  app.get("/notes/:id", described, validate({ params, response: { 200: Note } }), (req, res) => {
    const note = notes.find(({ id }) => id === Number(req.params.id));
    if (note === undefined) res.status(404).json({ title: "There is no such note", status: 404 });
    else res.json(note);
  });
  return app;
}

Deno.test("a client that openapi-typescript and openapi-fetch make has the types of the routes, and calls them", async () => {
  const app = notesApp();
  const document = openapi(app, { title: "Notes", version: "1" });
  const types = astToString(await openapiTS(JSON.stringify(document)));
  const folder = await Deno.makeTempDir();
  try {
    const config = {
      imports: await allImports(),
      compilerOptions: { strict: true, lib: ["deno.ns", "esnext", "dom"] },
    };
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
    await Deno.copyFile(TESTS_LOCK, `${folder}/deno.lock`);
    await Deno.writeTextFile(`${folder}/api.d.ts`, types);
    await Deno.writeTextFile(`${folder}/client.ts`, PROGRAM);
    // a wrong call that compiles is an error, too
    const checked = await run(Deno.execPath(), ["check", "--quiet", "client.ts"], {
      limitMs: 120_000,
      quiet: true,
      cwd: folder,
    });
    assertEquals(checked.code, 0, checked.output);
    const { use } = await import(`file://${folder}/client.ts`);
    const result = await use((request: Request) => app.handle(request));
    assertEquals(result, {
      id: 1,
      text: "Milk",
      texts: ["Milk"],
      missing: [404, "There is no such note"],
      refused: 400,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
