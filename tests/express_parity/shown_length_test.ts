/** Responses that show their length in headers read afterwards, as loggers do. */
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { type Any, serveBoth } from "../support/sluice_and_express.ts";

const FILE = fileURLToPath(new URL("../fixtures/outside.txt", import.meta.url));

type Answer = (res: Any) => unknown;

const ANSWERS: Record<string, Answer> = {
  "res.end with text": (res) => res.end("hello"),
  "res.end with bytes": (res) => res.end(new Uint8Array([1, 2, 3])),
  "res.end with nothing": (res) => res.end(),
  "res.end after writeHead": (res) => res.writeHead(200).end("hello"),
  "res.end after a promise": async (res) => (await null, res.end("hello")),
  "res.end with a length that was set": (res) => (res.setHeader("Content-Length", 5), res.end("hello")),
  "res.end with a length that was removed": (res) => {
    res.setHeader("Content-Length", 5);
    res.removeHeader("content-length");
    res.end("hello");
  },
  "res.end of a chunked answer": (res) => (res.setHeader("Transfer-Encoding", "chunked"), res.end("hello")),
  "res.send of a chunked answer": (res) => (res.setHeader("Transfer-Encoding", "chunked"), res.send("hello")),
  "res.write": (res) => (res.write("hel"), res.end("lo")),
  "res.flushHeaders": (res) => (res.flushHeaders(), res.end("hello")),
  "res.send with text": (res) => res.send("grüße"),
  "res.send with an empty text": (res) => res.send(""),
  "res.send with nothing": (res) => res.send(),
  "res.json": (res) => res.json({ a: 1 }),
  "res.json after a promise": async (res) => (await null, res.json({ a: 1 })),
  "res.jsonp": (res) => res.jsonp({ a: 1 }),
  "res.sendStatus": (res) => res.sendStatus(418),
  "res.redirect": (res) => res.redirect("/elsewhere"),
  "res.sendFile": (res) => res.sendFile(FILE),
  "204": (res) => res.status(204).end(),
  "204 with a body": (res) => res.status(204).send("hello"),
  "304": (res) => res.status(304).end(),
  "304 with a body": (res) => res.status(304).send("hello"),
  "205 with a body": (res) => res.status(205).send("hello"),
  "404": (res) => res.req.next(),
};

function shown(res: Any): unknown[] {
  const names: string[] = res.getHeaderNames();
  const asked = ["content-length", "Content-Length", "transfer-encoding"].map((name) => res.getHeader(name));
  const listed = [
    res.getHeaders()["content-length"],
    names.includes("content-length"),
    res.hasHeader("Content-Length"),
  ];
  // Express's own pages and ours show a number and a string
  return [...asked, ...listed].map(String);
}

for (const method of ["GET", "HEAD"]) {
  Deno.test(`after its answer, a ${method} shows the length of what Express shows, and of nothing else`, async () => {
    for (const [what, answer] of Object.entries(ANSWERS)) {
      const seen: unknown[][] = [];
      await serveBoth((app: Any) => {
        app.use((_req: Any, res: Any, next: () => void) => (res.on("finish", () => seen.push(shown(res))), next()));
        app.use((_req: Any, res: Any) => answer(res));
      }, async (origin) => {
        const before = seen.length;
        const response = await fetch(origin, { method, redirect: "manual" });
        await response.text();
        while (seen.length === before) await new Promise((resolve) => setTimeout(resolve, 0));
      });
      const [ours, theirs] = seen;
      assertEquals(ours, theirs, what);
    }
  });
}

Deno.test("a length that was set is read as it was set, after the answer too, as in Express", async () => {
  const seen: unknown[] = [];
  await serveBoth((app: Any) => {
    app.get("/", (_req: Any, res: Any) => {
      res.on("finish", () => seen.push(res.getHeader("Content-Length")));
      res.set("ETag", '"a"').setHeader("Content-Length", 5);
      res.end("hello");
    });
    app.get("/file", (_req: Any, res: Any) => {
      res.on("finish", () => seen.push(typeof res.getHeader("Content-Length")));
      res.sendFile(FILE);
    });
  }, async (origin) => {
    for (const path of ["/", "/file"]) await (await fetch(origin + path)).text();
  });
  assertEquals(seen, [5, "number", 5, "number"]);
});
