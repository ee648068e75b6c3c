/**
 * The programs on pages for users run and behave as documented. Every response and output on a page is compared.
 * `page_programs.ts` describes how a page is read.
 */
import { application, type FrameworkApp, type Server } from "@sluice/sluice";
import { assert } from "@std/assert";
import { PATIENCE_MS } from "../support/patience.ts";
import { curl } from "./support/curl.ts";
import { isAsShown, type PageProgram, printedFiles, programsOf } from "./support/page_programs.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["start", "guide", "limits", "moving"];
const PROGRAMS = new URL("../../.cache/pages/", import.meta.url);

const count = { pages: 0, programs: 0, run: 0, requests: 0 };

/** Paths of the pages for users, relative to the root. */
function pages(): string[] {
  const paths = FOLDERS.flatMap((folder) =>
    [...Deno.readDirSync(new URL(`docs/${folder}/`, ROOT))].map(({ name }) => `docs/${folder}/${name}`)
  );
  return ["README.md", ...paths.filter((path) => path.endsWith(".md")).sort()];
}

for (const page of pages()) {
  const text = Deno.readTextFileSync(new URL(page, ROOT));
  const programs = programsOf(text);
  count.pages++;
  count.programs += programs.length;
  const running = programs.filter(({ notRun }) => notRun === undefined);
  if (running.length > 0) {
    Deno.test(`what ${page} shows of its programs is what they do`, async () => {
      const folder = new URL(`${page.replaceAll(/\W/g, "_")}/`, PROGRAMS);
      await Deno.mkdir(folder, { recursive: true });
      for (const { path, content } of printedFiles(text)) await putFile(new URL(path, folder), content);
      const before = Deno.cwd();
      Deno.chdir(folder);
      try {
        for (const [i, program] of running.entries()) await runs(program, new URL(`${i + 1}.ts`, folder));
      } finally {
        Deno.chdir(before);
      }
    });
  }
}

Deno.test("most programs of the pages run, and many show what they respond with", () => {
  console.log(`${count.pages} pages, ${count.programs} programs, ${count.run} run, ${count.requests} requests`);
  assert(count.run > count.programs * 0.8, `only ${count.run} of ${count.programs}`);
  assert(count.requests > count.run / 2, `only ${count.requests} requests`);
});

async function putFile(file: URL, content: string): Promise<void> {
  await Deno.mkdir(new URL(".", file), { recursive: true });
  await Deno.writeTextFile(file, content);
}

/**
 * Runs a program unchanged, except that it listens on a free port, and sends it the requests. Errors are shown as in
 * production: otherwise they would contain this machine's stacks.
 */
async function runs({ code, requests, prints }: PageProgram, file: URL): Promise<void> {
  const name = file.pathname.slice(PROGRAMS.pathname.length);
  const listening: FrameworkApp[] = [];
  const { listen } = application;
  const { log, error } = console;
  let printed = "";
  const heard = Promise.withResolvers<void>();
  const hears = prints === undefined ? heard.resolve() : undefined;
  console.log = console.error = (...values: unknown[]) => {
    printed += values.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ") + "\n";
    if (prints !== undefined && isAsShown(printed, prints)) heard.resolve(hears);
  };
  application.listen = function (this: FrameworkApp, options: unknown, ...rest: never[]): Server {
    listening.push(this.set("env", "production"));
    const more = typeof options === "object" ? options : {};
    return Reflect.apply(listen, this, [{ ...more, port: 0, hostname: "127.0.0.1" }, ...rest.slice(-1)]);
  } as typeof listen;
  await Deno.writeTextFile(file, code);
  try {
    const { default: exported } = await import(`${file}?${crypto.randomUUID()}`);
    if (listening.length === 0 && requests.length > 0) (exported as FrameworkApp).listen(3000);
    const origin = `http://127.0.0.1:${listening[0]?.server?.port}`;
    const jar = new Map<string, string>();
    for (const { command, output } of requests) {
      const came = await curl(command, origin, output, jar);
      assert(isAsShown(came, output), `${name}: ${command}\n--- shown\n${output}\n--- came\n${came}\n`);
      count.requests++;
    }
    const late = setTimeout(
      () => heard.reject(new Error(`${name} printed\n${printed}\nand not\n${prints}`)),
      PATIENCE_MS,
    );
    await heard.promise.finally(() => clearTimeout(late));
    count.run++;
  } finally {
    Object.assign(console, { log, error });
    application.listen = listen;
    for (const app of listening) await app.close({ timeoutMs: 0 });
    globalThis.process?.removeAllListeners("SIGTERM");
  }
}
