import { assertEquals } from "@std/assert";
import { type Chapter, chapter, json, type Visit } from "../case.ts";
import { HANDSHAKE, RawSocket } from "../raw_socket.ts";

/** A body for each parser, and its parsed value. */
const PARSED: Readonly<Record<string, readonly [body: string, parsed: unknown]>> = {
  "application/json": ["[1]", [1]],
  "application/x-www-form-urlencoded": ["a=1", { a: "1" }],
  "text/plain": ["a", "a"],
  "application/octet-stream": ["a", [97]],
};

/** Removes the handshake headers. */
const NO_HANDSHAKE = Object.fromEntries(Object.keys(HANDSHAKE).map((name) => [name, ""]));

/** Sends a request without a body, and without the `Content-Length: 0` that clients add over a connection. */
async function bodiless(
  { ask, origin }: Visit,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<unknown> {
  if (new URL(origin).port === "") return await json(ask, path, { method, headers });
  using socket = await RawSocket.open(origin, path, { ...NO_HANDSHAKE, ...headers }, method);
  return JSON.parse(await socket.body());
}

const NOTHING = { body: "undefined", is: null };

export const bodilessRequests: Chapter = chapter("Requests without a body", (it) => {
  for (const [type, [body, parsed]] of Object.entries(PARSED)) {
    it(`one of type ${type} leaves its parser as it was`, async (visit) => {
      // a type that no other case has sent, because parsers cache types
      const own = `${type}; of=${visit.flag}`;
      const headers = { "content-type": own };
      assertEquals(await bodiless(visit, "DELETE", "/bodiless/body", headers), NOTHING);
      for (let i = 0; i < 2; i++) {
        const seen = await json(visit.ask, "/bodiless/body", { method: "POST", headers, body });
        assertEquals(seen, { body: parsed, is: type });
      }
      if (type !== "application/json") return;
      const broken = await visit.ask("/bodiless/body", { method: "POST", headers, body: "not json" });
      assertEquals([broken.status, await broken.json()], [400, "entity.parse.failed"]);
    });
  }

  for (const [way, read] of Object.entries({ events: 0, end: "end", loop: 0, text: "" })) {
    it(`what stands behind parsers reaches the end of nothing: ${way}`, async (visit) => {
      for (const method of ["POST", "DELETE"]) {
        for (const type of Object.keys(PARSED)) {
          assertEquals(await bodiless(visit, method, `/bodiless/${way}`, { "content-type": type }), read, type);
        }
      }
    });
  }

  it("neither the coding nor the charset of a missing body matters", async (visit) => {
    for (
      const headers of [
        { "content-type": "application/json", "content-encoding": "gzip" },
        { "content-type": "application/json", "content-encoding": "unknown" },
        { "content-type": "application/json; charset=unknown" },
        { "content-type": "text/plain; charset=unknown" },
      ] as Record<string, string>[]
    ) {
      assertEquals(await bodiless(visit, "POST", "/bodiless/body", headers), NOTHING);
    }
  }, "bodiless");
});
