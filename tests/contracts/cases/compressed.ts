import { assertEquals } from "@std/assert";
import { type Chapter, chapter, text } from "../case.ts";

/** The test client decodes gzip on its own, but not deflate. */
const DEFLATE: RequestInit = { headers: { "accept-encoding": "deflate" } };

const GZIP: RequestInit = { headers: { "accept-encoding": "gzip" } };

const LONG = Array.from({ length: 300 }, (_, id) => ({ id, name: `User ${id} ü` }));

/** Compressed responses from `@sluice/middleware/compress`. */
export const compressed: Chapter = chapter("Compressed responses", (it) => {
  it("a body is the same when it is decompressed, in whichever way it was sent", async ({ ask }) => {
    for (const way of ["json", "returned", "written"]) {
      const response = await ask(`/compressed/${way}`, DEFLATE);
      assertEquals([response.headers.get("content-encoding"), response.headers.get("vary")], [
        ...["deflate", "Accept-Encoding"],
      ]);
      assertEquals(await inflated(response).json(), LONG, way);
    }
  }, "compression");

  it("a long body is the same", async ({ ask }) => {
    assertEquals(await inflated(await ask("/compressed/huge", DEFLATE)).text(), "0123456789abcdef".repeat(20_000));
  }, "compression");

  it("a client that undoes the coding by itself sees nothing of it", async ({ ask }) => {
    for (const way of ["json", "returned", "written"]) {
      const response = await ask(`/compressed/${way}`, GZIP);
      assertEquals(await decoded(response).json(), LONG, way);
    }
  });

  it("what is compressed already is not compressed again", async ({ ask }) => {
    const response = await ask("/compressed/coded", DEFLATE);
    assertEquals(response.headers.get("content-encoding"), "deflate");
    assertEquals(await inflated(response).text(), "coded coded coded coded coded");
  }, "compression");

  it("short bodies, and clients that accept no coding, get what was sent", async ({ ask }) => {
    assertEquals(await text(ask, "/compressed/short", DEFLATE), '"short"');
    const response = await ask("/compressed/json", { headers: { "accept-encoding": "identity" } });
    assertEquals([response.headers.get("content-encoding"), await response.json()], [null, LONG]);
  });

  it("HEAD gets the headers of GET", async ({ ask }) => {
    const response = await ask("/compressed/json", { ...DEFLATE, method: "HEAD" });
    assertEquals([response.headers.get("content-encoding"), response.headers.get("vary"), await response.text()], [
      ...["deflate", "Accept-Encoding", ""],
    ]);
  }, "compression");

  it(
    "events come as they are sent",
    async ({ ask }) => {
      for (const [path, first] of [["events", "data: tick\n\n"], ["records", "{}\n"], ["records/returned", "{}\n"]]) {
        const reader = decoded(await ask(`/compressed/${path}`, GZIP)).body!.getReader();
        assertEquals(new TextDecoder().decode((await reader.read()).value).startsWith(first!), true, path);
        await reader.cancel();
      }
    },
    "pieces",
    "cancel",
  );
});

// in process, there is no client
function decoded(response: Response): Response {
  return response.url === "" && response.headers.has("content-encoding") ? undone(response, "gzip") : response;
}

function inflated(response: Response): Response {
  return undone(response, "deflate");
}

function undone(response: Response, coding: CompressionFormat): Response {
  return new Response(response.body!.pipeThrough(new DecompressionStream(coding)));
}
