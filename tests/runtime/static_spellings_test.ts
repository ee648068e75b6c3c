/** Paths to files behind guards, byte by byte, on every runtime that listens. */
import { assertEquals, assertMatch } from "@std/assert";
import { startServing } from "../contracts/serving.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { opened, untilClosed } from "../support/raw_client.ts";

const SECRET = "behind a guard";

/** Spellings of `/admin/secret.txt`, and of the same path under `/limited`. */
const SPELLINGS = [
  "/admin/secret.txt",
  "/ADMIN/secret.txt",
  "/admin%2fsecret.txt",
  "/admin%2Fsecret.txt",
  "//admin/secret.txt",
  "///admin//secret.txt",
  "/%61dmin/secret.txt",
  "/%61%64%6d%69%6e/secret.txt",
  "/./admin/secret.txt",
  "/x/../admin/secret.txt",
  "/%2e/admin/secret.txt",
  "/x/%2e%2e/admin/secret.txt",
  "/x%2f..%2fadmin/secret.txt",
  "/admin\\secret.txt",
  "/admin%5csecret.txt",
  "/\\admin/secret.txt",
  "/%5cadmin/secret.txt",
  "/%2fadmin/secret.txt",
  "/admi%6e/secret.txt",
  "/admin/./secret%2etxt",
];

/** Sends a request with one byte per character. */
async function ask(origin: string, path: string) {
  const head = `GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`;
  const bytes = Uint8Array.from(head, (character) => character.charCodeAt(0));
  const response = await untilClosed(await opened({ port: Number(new URL(origin).port) }, bytes));
  return { status: Number(response.split(" ")[1]), body: response.slice(response.indexOf("\r\n\r\n") + 4) };
}

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of ["admin", "limited", "café", "~me+(1)"]) {
      await Deno.mkdir(`${folder}/${name}`);
      await Deno.writeTextFile(`${folder}/${name}/secret.txt`, SECRET);
    }
    await Deno.writeTextFile(`${folder}/a (b)+é.txt`, "open");
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(`on ${name}, a guard covers the files behind it, however their path is spelled`, { ignore }, async (t) => {
    await withFolder(async (folder) => {
      const [program, ...args] = await command("tests/fixtures/guarded_files.ts");
      const { origin, stop } = await startServing(program, args, { FOLDER: folder });
      try {
        for (const spelling of SPELLINGS) {
          await t.step(spelling.replaceAll("\\", "backslash "), async () => {
            for (const [guard, refusal] of [["admin", 401], ["limited", 429]] as const) {
              const path = spelling.replace("%6e", guard === "admin" ? "%6e" : "n").replace("admin", guard)
                .replace("ADMIN", guard.toUpperCase()).replace("%61dmin", "%6cimited");
              const { status, body } = await ask(origin, path);
              assertEquals([body.includes(SECRET), [refusal, 400, 404].includes(status)], [false, true], `${status}`);
            }
          });
        }

        await t.step("a mount matches what clients send for it, and no more", async () => {
          const sent = ["/caf%C3%A9", "/caf%c3%a9", "/CAF%C3%89", "/~me+(1)", "/%7Eme%2B%281%29", "/%7eme%2b(1)"];
          for (const path of sent) assertEquals((await ask(origin, `${path}/secret.txt`)).status, 401, path);
          const { status, body } = await ask(origin, "/caf\xc3\xa9/secret.txt");
          assertEquals([body.includes(SECRET), [400, 401, 404].includes(status)], [false, true], `${status}`);
          assertEquals((await ask(origin, "/cafe/secret.txt")).status, 404);
        });

        await t.step("routes and mounts outside of ASCII see the path as it was sent", async () => {
          assertMatch((await ask(origin, "/route/%c3%B1/a%C3%A9")).body, /\["aé","\/route\/ñ\/:id"\]/);
          assertMatch(
            (await ask(origin, "/mount/%E6%97%A5%E6%9C%ac/x")).body,
            /\["\/mount\/%E6%97%A5%E6%9C%ac","\/x"\]/,
          );
        });

        await t.step("characters that clients may encode find a file in either form", async () => {
          for (const path of ["/a%20(b)+%C3%A9.txt", "/a%20%28b%29%2B%c3%a9.txt", "/a%20(b%29+%C3%a9.txt"]) {
            assertMatch((await ask(origin, path)).body, /^(4\r\n)?open/, path);
          }
        });
      } finally {
        await stop();
      }
    });
  });
}
