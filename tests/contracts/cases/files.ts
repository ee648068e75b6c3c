import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Chapter, chapter, seen, text } from "../case.ts";

export const files: Chapter = chapter("Files and views", (it) => {
  it("static files have a type, a tag and an age", async ({ ask }) => {
    const response = await ask("/static/hello.txt");
    assertEquals(await response.text(), "hello file\n");
    const { headers } = response;
    assertEquals(headers.get("content-type"), "text/plain; charset=utf-8");
    assertEquals(headers.get("cache-control"), "public, max-age=1");
    assertMatch(headers.get("etag") ?? "", /^W\/"b-/);
  }, "files");

  it("a folder is served by its index page, after a redirect that adds the slash", async ({ ask }) => {
    assertEquals((await seen(ask, "/static/folder", {}, "location")).filter((_, at) => at !== 1), [
      301,
      "/static/folder/",
    ]);
    assertEquals((await seen(ask, "/static/folder/"))[0], 200);
  }, "files");

  it("an unchanged file is 304", async ({ ask }) => {
    const tag = (await ask("/static/hello.txt")).headers.get("etag")!;
    assertEquals(await seen(ask, "/static/hello.txt", { headers: { "if-none-match": tag } }), [304, ""]);
  }, "files");

  it("a range of a file is 206", async ({ ask }) => {
    const range = (bytes: string) => seen(ask, "/file", { headers: { range: bytes } }, "content-range");
    assertEquals(await range("bytes=6-"), [206, "file\n", "bytes 6-10/11"]);
    assertEquals((await range("bytes=50-"))[0], 416);
  }, "files");

  it("a file that is missing is 404", async ({ ask }) => {
    assertEquals((await seen(ask, "/static/missing.txt"))[0], 404);
    assertEquals((await seen(ask, "/file/missing"))[0], 404);
  }, "files");

  it("a precompressed file is sent to clients that accept its coding", async ({ ask }) => {
    const packed = await ask("/coded/page.html", { headers: { "accept-encoding": "gzip" } });
    assertEquals(packed.headers.get("content-type"), "text/html; charset=utf-8");
    // in process, no client decodes it
    const unzip = new DecompressionStream("gzip");
    const { body } = packed.url === "" ? new Response(packed.body!.pipeThrough(unzip)) : packed;
    assertEquals(await new Response(body).text(), "the page from its archive\n");
  }, "files");

  it(
    "the file itself is sent to clients that accept no coding of a precompressed file",
    async ({ ask }) => {
      const plain = await seen(ask, "/coded/page.html", { headers: { "accept-encoding": "identity" } }, "content-type");
      assertEquals(plain, [200, "the page itself\n", "text/html; charset=utf-8"]);
    },
    "files",
    "compression",
  );

  it("a path that leaves the root finds nothing", async ({ ask }) => {
    assertEquals((await seen(ask, "/static/..%2foutside.txt"))[0], 404);
  }, "files");

  it("a download has a name", async ({ ask }) => {
    const [status, body, disposition] = await seen(ask, "/download", {}, "content-disposition");
    assertEquals([status, body], [200, "hello file\n"]);
    assertStringIncludes(String(disposition), "h%C3%A4llo.txt");
  }, "files");

  it("a view is found by its name and rendered by its engine", async ({ ask }) => {
    assertEquals(await seen(ask, "/view", {}, "content-type"), [200, "rendered Sluice", "text/html; charset=utf-8"]);
  }, "files");

  it("a custom View class needs no files", async ({ ask }) => {
    assertEquals(await text(ask, "/own-view"), "any view of Sluice");
  });
});
