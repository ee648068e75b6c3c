import { assertEquals } from "@std/assert";
import { type Chapter, chapter, json, seen } from "../case.ts";

function formOf(entries: Record<string, string | File>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(entries)) body.append(name, value);
  return { method: "POST", body };
}

function fileOf(content: BlobPart, type = "text/plain"): File {
  return new File([content], "größe.txt", { type });
}

/** Uploads with `@sluice/middleware/upload`. */
export const uploads: Chapter = chapter("Uploads", (it) => {
  it("a form is received in memory", async ({ ask }) => {
    assertEquals(await json(ask, "/uploads/memory", formOf({ name: "Ada", file: fileOf("content") })), {
      body: { name: "Ada" },
      files: [{ fieldname: "file", originalname: "größe.txt", mimetype: "text/plain", size: 7, text: "content" }],
    });
  });

  it("a function gets a file as a stream", async ({ ask }) => {
    const bytes = new Uint8Array(300_000).fill(3);
    assertEquals(await json(ask, "/uploads/stream", formOf({ file: fileOf(bytes) })), [300_000, 900_000]);
  });

  it("what is too large is 413, what has another type 415, what nobody expects 400", async ({ ask }) => {
    const large = formOf({ file: fileOf("x".repeat(1001)) });
    assertEquals(await seen(ask, "/uploads/memory", large), [413, '["LIMIT_FILE_SIZE","file"]']);
    const other = formOf({ file: fileOf("", "image/png") });
    assertEquals(await seen(ask, "/uploads/memory", other), [415, '["UNSUPPORTED_TYPE","file"]']);
    const unexpected = formOf({ other: fileOf("") });
    assertEquals(await seen(ask, "/uploads/stream", unexpected), [400, '["LIMIT_UNEXPECTED_FILE","other"]']);
  });
});
