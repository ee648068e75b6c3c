/** A client by libraries as they are: its types are made by openapi-typescript, and openapi-fetch calls. */
import { assertEquals } from "@std/assert";
import openapiTS, { astToString } from "openapi-typescript";
import { makeDemo } from "../../examples/demo/app.ts";
import { run } from "../../scripts/process.ts";
import { allImports, TESTS_LOCK } from "../../scripts/tests_config.ts";

const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

export async function use(fetch: (request: Request) => Promise<Response>) {
  const client = createClient<paths>({ baseUrl: "http://localhost", fetch });

  const written = await client.POST("/api/notes", { body: { text: "Milk" } });
  const note: components["schemas"]["Note"] = written.data!;
  const id: number = note.id;

  const found = await client.GET("/api/notes/{id}", { params: { path: { id: String(id) } } });
  const text: string | undefined = found.data?.text;

  const listed = await client.GET("/api/notes", { params: { query: { limit: "1" } } });
  const texts: string[] = listed.data!.map((one) => one.text);

  const missing = await client.GET("/api/notes/{id}", { params: { path: { id: "99" } } });
  // what is there depends on what happened
  const reason: string | undefined = missing.error?.title;

  const refused = await client.POST("/api/notes", { body: { text: " " } });
  const problem = refused.error!;
  const wrong: string[] = "errors" in problem ? problem.errors.map((one) => one.in + one.pointer) : [];

  return { id, text, texts, missing: [missing.response.status, reason], refused: [refused.response.status, wrong] };
}

export function wrong(client: ReturnType<typeof createClient<paths>>) {
  // @ts-expect-error there is no such path
  client.GET("/api/note");
  // @ts-expect-error nor such a method
  client.DELETE("/api/notes");
  // @ts-expect-error the parameter is missing
  client.GET("/api/notes/{id}");
  // @ts-expect-error it is text
  client.GET("/api/notes/{id}", { params: { path: { id: true } } });
  // @ts-expect-error the query has another type
  client.GET("/api/notes", { params: { query: { limit: [1] } } });
  // @ts-expect-error there is no such parameter
  client.GET("/api/notes", { params: { query: { most: "1" } } });
  // @ts-expect-error a field has another type
  client.POST("/api/notes", { body: { text: 7 } });
  // @ts-expect-error the body is missing
  client.POST("/api/notes");
  // @ts-expect-error there is no such field
  client.GET("/api/notes/{id}", { params: { path: { id: "1" } } }).then(({ data }) => data?.txt);
  // @ts-expect-error nor in what is wrong
  client.GET("/api/notes/{id}", { params: { path: { id: "1" } } }).then(({ error }) => error?.reason);
}
`;

Deno.test("a client of the demo, made by openapi-typescript and openapi-fetch, has the types of its routes and calls them", async () => {
  const app = makeDemo().set("env", "test");
  const document = await app.inject("/docs/openapi.json");
  const types = astToString(await openapiTS(await document.text()));
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
    const graph = await run(Deno.execPath(), ["info", "--json", "client.ts"], {
      limitMs: 60_000,
      quiet: true,
      cwd: folder,
    });
    const modules = (JSON.parse(graph.output).modules as { specifier: string }[]).map(({ specifier }) => specifier);
    assertEquals(modules.filter((one) => one.startsWith("file:")).length, 2, `the server is among ${modules}`);
    const { use } = await import(`file://${folder}/client.ts`);
    const result = await use((request: Request) => app.handle(request));
    assertEquals(result, {
      id: 4,
      text: "Milk",
      texts: ["Milk"],
      missing: [404, "There is no note 99"],
      refused: [422, ["body/text"]],
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
