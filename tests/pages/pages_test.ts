/**
 * The programs of the pages for users run, and do what the pages say: whatever a page shows of a program, its responses
 * and its output, is compared. `page_programs.ts` says how a page is read.
 */
import { application, type FrameworkApp, type Server } from "@sluice/sluice";
import { assert } from "@std/assert";
import { PATIENCE_MS } from "../support/patience.ts";
import { curl } from "./support/curl.ts";
import { isAsShown, type PageProgram, programsOf } from "./support/page_programs.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["start", "tutorial", "guide", "limits", "moving"];
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
  const programs = programsOf(Deno.readTextFileSync(new URL(page, ROOT)));
  count.pages++;
  count.programs += programs.length;
  const running = programs.filter(({ notRun }) => notRun === undefined);
  if (running.length > 0) {
    Deno.test(`what ${page} shows of its programs is what they do`, async () => {
      for (const [i, program] of running.entries()) await runs(program, `${page.replaceAll(/\W/g, "_")}_${i + 1}.ts`);
    });
  }
}

Deno.test("most programs of the pages run, and many show what they respond with", () => {
  console.log(`${count.pages} pages, ${count.programs} programs, ${count.run} run, ${count.requests} requests`);
  assert(count.run > count.programs * 0.8, `only ${count.run} of ${count.programs}`);
  assert(count.requests > count.run / 2, `only ${count.requests} requests`);
});

/** Runs a program as it stands, except that it listens on a free port, and sends it the requests. */
async function runs({ code, requests, prints }: PageProgram, name: string): Promise<void> {
  const listening: FrameworkApp[] = [];
  const { listen } = application;
  const { log } = console;
  let printed = "";
  const heard = Promise.withResolvers<void>();
  const hears = prints === undefined ? heard.resolve() : undefined;
  console.log = (...values: unknown[]) => {
    printed += values.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ") + "\n";
    if (prints !== undefined && isAsShown(printed, prints)) heard.resolve(hears);
  };
  application.listen = function (this: FrameworkApp, options: unknown, ...rest: never[]): Server {
    listening.push(this);
    const more = typeof options === "object" ? options : {};
    return Reflect.apply(listen, this, [{ ...more, port: 0, hostname: "127.0.0.1" }, ...rest.slice(-1)]);
  } as typeof listen;
  const file = new URL(name, PROGRAMS);
  await Deno.mkdir(PROGRAMS, { recursive: true });
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
    const late = setTimeout(() => heard.reject(new Error(`${name} printed\n${printed}\nand not\n${prints}`)), PATIENCE_MS);
    await heard.promise.finally(() => clearTimeout(late));
    count.run++;
  } finally {
    Object.assign(console, { log });
    application.listen = listen;
    for (const app of listening) await app.close({ timeoutMs: 0 });
    globalThis.process?.removeAllListeners("SIGTERM");
  }
}
