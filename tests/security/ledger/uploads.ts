import { upload, type UploadOptions } from "@sluice/middleware/upload";
import type { Request } from "@sluice/sluice";
import { assert, assertEquals } from "@std/assert";
import { ask, quietApp } from "../../support/app.ts";
import { until } from "../../support/until.ts";
import type { Theme } from "./flaw.ts";
import { quickly } from "./quickly.ts";

const encoder = new TextEncoder();

interface Received {
  readonly status: number;
  /** The form the handler got, `undefined` if the request was refused. */
  readonly got: { body: Record<string, unknown>; files: readonly { originalname: string }[] } | undefined;
}

/** Sends a form with the boundary B to an application that receives it. */
async function sent(body: BodyInit, options?: UploadOptions<unknown>): Promise<Received> {
  const app = quietApp();
  let got: Received["got"];
  app.post("/", upload(options), (req: Request, res) => {
    got = { body: { ...req.body }, files: req.files as unknown as { originalname: string }[] };
    res.send("done");
  });
  const headers = { "content-type": "multipart/form-data; boundary=B" };
  const response = await ask(app, "/", { method: "POST", body, headers });
  await response.body?.cancel();
  return { status: response.status, got };
}

function part(disposition: string, content = "x", ...headers: string[]): string {
  return ["--B", `Content-Disposition: form-data; ${disposition}`, ...headers, "", content, ""].join("\r\n");
}

function form(...parts: readonly string[]): string {
  return `${parts.join("")}--B--\r\n`;
}

/** Asserts that each form is accepted, or rejected with a 4xx status. */
async function survives(...forms: readonly BodyInit[]): Promise<void> {
  for (const one of forms) {
    const { status } = await quickly(() => sent(one));
    assert(status === 200 || (status >= 400 && status < 500), `${status} for ${JSON.stringify(one)}`);
  }
}

async function withFolder(run: (folder: string, names: () => string[]) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder, () => [...Deno.readDirSync(folder)].map(({ name }) => name));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A body that fails after its first bytes, as on a disconnect. */
function cut(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      if (text === "") return controller.error(new Error("the client has disconnected"));
      controller.enqueue(encoder.encode(text));
      text = "";
    },
  }, { highWaterMark: 0 });
}

const FILE = part('name="f"; filename="f.txt"', "content", "Content-Type: text/plain");

/** Forms with files. */
export const uploads: Theme = {
  title: "Uploads",
  file: "uploads.ts",
  flaws: [
    {
      identifiers: ["CVE-2025-47944", "GHSA-4pg4-qvpc-4q3h"],
      package: "multer",
      flaw: "A malformed form threw an exception outside of the request, which crashed the process.",
      here: "a malformed form gets 4xx",
      attack: () =>
        survives(
          ...["", "--B", "--B\r\n", "--B--", "\r\n--B--\r\n", "--B\r\n\r\n", "--B\r\n: x\r\n\r\n\r\n--B--\r\n"],
          ...["--B\r\nContent-Disposition\r\n\r\nx\r\n--B--", part("").slice(0, -2), part('name="a'), "--C\r\nx"],
          form(part('name="a"').replace("form-data", "attachment")),
        ),
    },
    {
      identifiers: ["CVE-2025-48997", "GHSA-g5hg-p3ph-g8qg"],
      package: "multer",
      flaw: "A file field with an empty name crashed the process.",
      here: "a file or field with an empty or missing name is harmless",
      attack: () =>
        survives(
          form(part('name=""; filename="f.txt"')),
          form(part('name=""')),
          form(part('filename="f.txt"')),
          form(part("name=; filename=f.txt")),
        ),
    },
    {
      identifiers: ["CVE-2025-7338", "GHSA-fjgf-rc76-4x9p"],
      package: "multer",
      flaw: "A truncated form threw an exception outside of the request, which crashed the process.",
      here: "a form truncated at any point gets 400, and its handler does not run",
      async attack() {
        const whole = form(part('name="a"'), FILE);
        for (let length = 0; length < whole.length - "--\r\n".length; length += 3) {
          const { status, got } = await sent(whole.slice(0, length));
          assertEquals([length, status, got], [length, 400, undefined]);
        }
      },
    },
    {
      identifiers: ["CVE-2022-24434", "GHSA-wm7h-9275-46v2"],
      package: "dicer (busboy, multer)",
      flaw: "A malformed part header crashed the process.",
      here: "malformed part headers get 4xx or are ignored",
      attack: () =>
        survives(
          ...[
            "\r\n",
            ": ",
            ":",
            "\0",
            " a: b",
            "a b: c",
            "Content-Type",
            "Content-Type:",
            "Content-Type: ;;;",
            "\xff: \xff",
          ]
            .map((line) => form(part('name="f"; filename="f.txt"', "x", line))),
          '--B\r\n\r\n\r\n--B\r\nContent-Disposition: form-data; name="a"\r\n \r\n\r\nx\r\n--B--\r\n',
        ),
    },
    {
      identifiers: ["CVE-2023-25576", "GHSA-hpp2-2cr5-pf6g"],
      package: "@fastify/multipart",
      flaw: "A form could have any number of parts.",
      here: "a form with more than 1000 parts gets 413, whether they are fields, files or empty",
      async attack() {
        const kinds = [part('name="a"'), part('name="a"', ""), FILE, part('name="a"; filename=""', "")];
        for (const one of kinds) {
          const { status, got } = await quickly(() => sent(form(one.repeat(20_000))));
          assertEquals([status, got], [413, undefined]);
        }
      },
    },
    {
      identifiers: ["CVE-2026-5079", "GHSA-72gw-mp4g-v24j"],
      package: "multer",
      flaw: "A name such as `a[b][c]` became an object, nested without limit.",
      here: "brackets in a name have no meaning, and a name has at most 100 bytes",
      async attack() {
        const name = `a${"[b]".repeat(30)}`;
        const { status, got } = await quickly(() => sent(form(part(`name="${name}"`))));
        assertEquals([status, got?.body], [200, { [name]: "x" }]);
        assertEquals((await quickly(() => sent(form(part(`name="a${"[b]".repeat(1000)}"`))))).status, 413);
      },
    },
    {
      identifiers: ["CVE-2026-8159", "GHSA-65x3-rw7q-gx94"],
      package: "multiparty",
      flaw: "Matching an 8 kB file name with a regular expression took seconds.",
      here: "a part head has at most 8 KiB and is read in linear time",
      attack: () =>
        survives(
          ...["\\", '\\"', " ", ";", "=", '";', "a;filename=", "%"].flatMap((text) =>
            [`filename="${text.repeat(7000)}`, `filename=${text.repeat(2000)}"`, `filename*=${text.repeat(2000)}`].map((
              claim,
            ) => form(part(`name="f"; ${claim}`)))
          ),
        ),
    },
    {
      identifiers: ["CVE-2026-8161", "GHSA-qxch-whhj-8956"],
      package: "multiparty",
      flaw: "A field named like a property of Object.prototype crashed the process.",
      here: "fields and files may have the names of properties of Object.prototype, and do not change them",
      async attack() {
        for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__"]) {
          const { status } = await sent(
            form(part(`name="${name}"`), part(`name="${name}"`), part(`name="${name}"; filename="f"`)),
          );
          assert(status === 200 || status === 400, `${status} for ${name}`);
          assertEquals(Object.getPrototypeOf({}), Object.prototype);
        }
        assertEquals((await sent(form(part('name="toString"')))).got?.body["toString"], "x");
      },
    },
    {
      identifiers: ["CVE-2026-8162", "GHSA-xh3c-6gcq-g4rv"],
      package: "multiparty",
      flaw: "A malformed escape in `filename*` crashed the process.",
      here: "a malformed escape in `filename*` is harmless",
      attack: () =>
        survives(
          ...["UTF-8''%", "UTF-8''%zz", "UTF-8''%ff", "utf-8''%c3", "x''%41", "''", "'", "UTF-8", "%E0%A4%A"]
            .map((name) => form(part(`name="f"; filename*=${name}`))),
        ),
    },
    {
      identifiers: ["CVE-2025-47935", "GHSA-44fp-w29j-9vj5", "CVE-2026-2359", "GHSA-v52c-386h-88mc"],
      package: "multer",
      flaw: "When a client disconnected, the streams of its upload stayed open.",
      here: "when a client disconnects, the stream of its file ends with an error, and stored data is discarded",
      async attack() {
        const ended: string[] = [];
        const to = {
          take: async ({ stream }: { stream: ReadableStream }) => {
            await new Response(stream).arrayBuffer().catch(() => ended.push("failed"));
            return "kept";
          },
          discard: () => void ended.push("discarded"),
        };
        const { status, got } = await sent(
          cut(`${FILE}${FILE.slice(0, -4)}`),
          { storage: to } as UploadOptions<unknown>,
        );
        assertEquals([status >= 400 && status < 500, got], [true, undefined]);
        await until(() => ended.length === 2, "both files have ended");
        assertEquals(ended.sort(), ["discarded", "failed"]);
      },
    },
    {
      identifiers: ["CVE-2026-3304", "GHSA-xf7r-hgr6-v32p"],
      package: "multer",
      flaw: "Files of a form that was refused later stayed on disk.",
      here: "the files of a refused form are removed",
      attack: () =>
        withFolder(async (folder, names) => {
          const malformed = `${FILE}--B\r\nnonsense`;
          const late = form(FILE, FILE, part('name="a"', "x".repeat(100)));
          for (
            const [body, limits] of [[malformed, {}], [late, { fieldSize: 10 }], [form(FILE, FILE), {
              files: 1,
            }]] as const
          ) {
            const { status, got } = await sent(body, { dest: folder, limits });
            assertEquals([status >= 400 && status < 500, got], [true, undefined]);
            await until(() => names().length === 0, "the files are removed");
          }
        }),
    },
    {
      identifiers: ["CVE-2026-5038", "GHSA-3p4h-7m6x-2hcm"],
      package: "multer",
      flaw: "Files of an aborted upload stayed on disk.",
      here: "the files of an aborted upload are removed",
      attack: () =>
        withFolder(async (folder, names) => {
          await sent(cut(`${FILE}${FILE.slice(0, -4)}`), { dest: folder });
          await until(() => names().length === 0, "the files are removed");
        }),
    },
  ],
};
