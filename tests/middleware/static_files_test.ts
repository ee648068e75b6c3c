import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertThrows } from "@std/assert";
import express from "express";
import sluice, { type FrameworkResponse, type ServeStaticOptions } from "@sluice/sluice";
import { ask, quietApp } from "../support/app.ts";
import { type Any, askBoth } from "../support/sluice_and_express.ts";
import { runtimeKey } from "../../src/util/runtime_key.ts";

const FILES = fileURLToPath(new URL("../fixtures/files", import.meta.url));

function served(options?: ServeStaticOptions) {
  const app = quietApp();
  app.use("/s", sluice.static(FILES, options));
  app.use((_req, res) => res.status(404).send("next"));
  return app;
}

const ASKS: readonly (readonly [path: string, headers?: Record<string, string>, method?: string])[] = [
  ["/s/hello.txt"],
  ["/s/hello.txt", {}, "HEAD"],
  ["/s/folder"],
  ["/s/folder/"],
  ["/s/missing"],
  ["/s/.secret"],
  ["/s/hello.txt", { range: "bytes=0-4" }],
  ["/s/hello.txt", { range: "bytes=-4" }],
  ["/s/hello.txt", { range: "bytes=500-" }],
  ["/s/hello.txt", { range: "nonsense" }],
  ["/s/hello.txt", { "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT" }],
  ["/s/hello.txt", { "if-unmodified-since": "Fri, 01 Jan 1990 00:00:00 GMT" }],
  ["/s/hello.txt", { "if-match": '"other"' }],
  ["/s/hello.txt", { "if-none-match": "*" }],
  ["/s/hello.txt", {}, "POST"],
  ["/s/%2e%2e/outside.txt"],
  ["/s/hello.txt/"],
  ["/s/folder%5cindex.html"],
  ["/s/folder%5c"],
];

Deno.test("files are served as express.static serves them", async () => {
  const [ours, theirs] = await askBoth((app: Any, lib: Any) => {
    app.use("/s", (lib === express ? express : sluice).static(FILES, { maxAge: "1d", extensions: ["html"] }));
    app.use((_req: Any, res: Any) => res.status(404).send("next"));
    app.use((error: Any, _req: Any, res: Any, _next: Any) => res.status(error.status).send("error"));
  }, [
    ...ASKS.map(([path, headers = {}, method = "GET"]) => ({ path, init: { headers, method } })),
    { path: "/s/page" },
  ]);
  assertEquals(ours, theirs);
});

Deno.test("an empty conditional header counts as missing, as in Express", async () => {
  const names = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range"];
  const asks = names.map((name) => ({
    path: "/hello.txt",
    init: { headers: { "range": "bytes=0-4", [name]: "" } },
  }));
  const [ours, theirs] = await askBoth((app: Any, lib: Any) => app.use(lib.static(FILES)), asks);
  assertEquals(ours, theirs);
});

Deno.test("a file is no page whose extension only looks like that of one, as with Express", async () => {
  const root = await Deno.makeTempDir();
  try {
    const names = [" ", "\u00a0", "\u2000", "\u3000", "\ufeff"].flatMap((blank) => [`a.html${blank}`, `b.svg${blank}`]);
    for (const name of names) await Deno.writeTextFile(`${root}/${name}`, "<script>alert(1)</script>");
    const [ours, theirs] = await askBoth(
      (app: Any, lib: Any) => app.use((lib === express ? express : sluice).static(root)),
      names.map((name) => ({ path: `/${encodeURIComponent(name)}` })),
    );
    assertEquals(ours, theirs);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("the redirect to a folder tells its length to middleware that replaces res.end, as with Express", async () => {
  const lengths: number[] = [];
  const [ours, theirs] = await askBoth((app: Any, lib: Any) => {
    app.use((_req: Any, res: Any, next: Any) => {
      const end = res.end;
      res.end = (...args: unknown[]) => {
        lengths.push(Number(res.getHeader("Content-Length")));
        return end.apply(res, args);
      };
      next();
    });
    app.use("/s", lib.static(FILES));
  }, [{ path: "/s/folder" }]);
  assertEquals(ours, theirs);
  assertEquals(lengths, [ours[0]!.body.length, ours[0]!.body.length]);
});

const CLIMBS = [
  "/s/../outside.txt",
  "/s/%2e%2e/outside.txt",
  "/s/..%2foutside.txt",
  "/s/..%5coutside.txt",
  "/s/folder/../../outside.txt",
  "/s/folder/%2e%2e%2f%2e%2e%2foutside.txt",
  "/s/....//outside.txt",
];

for (const path of CLIMBS) {
  Deno.test(`${path} never leaves the root`, async () => {
    const app = served({ fallthrough: false, dotfiles: "allow" });
    // a Request would resolve the dots, so the target is set as a server sets it
    const request = new Request("http://localhost/");
    Object.defineProperty(request, "url", { value: `http://localhost${path}` });
    const response = await app.handle(request);
    assertEquals([[400, 403, 404].includes(response.status), (await response.text()).includes("outside\n")], [
      true,
      false,
    ]);
  });
}

Deno.test("an error handler learns of a name that is too long, but not to show the path on disk", async () => {
  const app = quietApp().use(sluice.static(FILES, { fallthrough: false }));
  app.use((error: Any, _req: Any, res: Any, _next: Any) => res.json([error.status, error.code, error.expose]));
  assertEquals(await (await ask(app, `/${"x".repeat(300)}`)).json(), [404, "ENAMETOOLONG", false]);
});

Deno.test("a NUL in a path is refused", async () => {
  assertEquals((await ask(served({ fallthrough: false }), "/s/hello.txt%00.html")).status, 400);
});

Deno.test("an invalid option is an error that names it", async () => {
  assertThrows(
    () => sluice.static(FILES, { maxAge: "soon" }),
    TypeError,
    'option maxAge of serveStatic must be a number of ms or a string such as "1d", not "soon"',
  );
  const refused: readonly (readonly [options: unknown, message: string])[] = [
    [{ dotfiles: "alow" }, 'option dotfiles must be "allow", "deny" or "ignore", not "alow"'],
    [{ index: true }, "option index must be a string, a list of strings or false, not true"],
    [{ extensions: [".html", 7] }, "option extensions must be a string, a list of strings or false, not an array"],
  ];
  for (const [options, message] of refused) {
    const app = served(options as ServeStaticOptions);
    app.use((error: Error, _req: unknown, res: FrameworkResponse, _next: unknown) => res.send(error.message));
    assertEquals(await (await ask(app, "/s/hello.txt")).text(), message);
  }
  const says = 'serveStatic expects its options as an object, not "1d"';
  assertThrows(() => sluice.static(FILES, "1d" as Any), TypeError, says);
});

Deno.test("maxage means maxAge, as with Express, and maxAge wins", async () => {
  const [ours, theirs] = await askBoth((app: Any, lib: Any) => {
    app.use("/old", lib.static(FILES, { maxage: "1h" }));
    app.use("/both", lib.static(FILES, { maxage: "1h", maxAge: "1d" }));
    app.use("/sent", (_req: Any, res: Any) => res.sendFile("hello.txt", { root: FILES, maxage: "1h" }));
  }, ["/old/hello.txt", "/both/hello.txt", "/sent"].map((path) => ({ path })));
  assertEquals(ours, theirs);
});

Deno.test("a first or last byte that is no position is an error that names it", async () => {
  for (const [name, value, shown] of [["start", "5", '"5"'], ["start", -1, "-1"], ["end", NaN, "NaN"]] as const) {
    const app = quietApp();
    app.get("/", (_req, res) => res.sendFile("hello.txt", { root: FILES, [name]: value }));
    app.use((error: Error, _req: unknown, res: FrameworkResponse, _next: unknown) => res.send(error.message));
    const message = `option ${name} must be a byte position from 0, not ${shown}`;
    assertEquals(await (await ask(app, "/")).text(), message);
  }
});

Deno.test("it serves the requests of an Express application, too", async () => {
  const app = (express as Any)();
  app.use(sluice.static(FILES));
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const response = await fetch(`http://127.0.0.1:${server.address().port}/hello.txt`);
  const text = await response.text();
  await new Promise((resolve) => server.close(resolve));
  assertEquals([text, response.headers.get("content-type")], ["hello file\n", "text/plain; charset=utf-8"]);
});

Deno.test("dotfiles are ignored, denied or allowed as configured", async () => {
  assertEquals((await ask(served(), "/s/.secret")).status, 404);
  assertEquals((await ask(served({ dotfiles: "deny", fallthrough: false }), "/s/.secret")).status, 403);
  assertEquals(await (await ask(served({ dotfiles: "allow" }), "/s/.secret")).text(), "hidden");
});

Deno.test("cache headers follow the options", async () => {
  const { headers } = await ask(
    served({ maxAge: "1d", immutable: true, etag: false, lastModified: false }),
    "/s/hello.txt",
  );
  assertEquals(
    [headers.get("cache-control"), headers.get("etag"), headers.get("last-modified")],
    ["public, max-age=86400, immutable", null, null],
  );
});

Deno.test("sendFile refuses paths outside its root, and relative paths without one", async () => {
  const app = quietApp();
  app.get("/in", (_req, res) => res.sendFile("hello.txt", { root: FILES }));
  app.get("/out", (_req, res) => res.sendFile("../outside.txt", { root: FILES }));
  app.get("/dot", (_req, res) => res.sendFile(".secret", { root: FILES }));
  app.get("/relative", (_req, res) => res.sendFile("hello.txt"));
  app.get(
    "/callback",
    (_req, res) =>
      res.sendFile("none.txt", { root: FILES }, (error) => res.status(410).send(`${error?.code} ${error?.status}`)),
  );
  assertEquals(await (await ask(app, "/in")).text(), "hello file\n");
  assertEquals((await ask(app, "/out")).status, 403);
  assertEquals((await ask(app, "/dot")).status, 404);
  assertEquals((await ask(app, "/relative")).status, 500);
  assertEquals(await (await ask(app, "/callback")).text(), "ENOENT 404");
});

Deno.test("download offers the file under a name", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.download(`${FILES}/hello.txt`, "grüße.txt"));
  const response = await ask(app, "/");
  assertEquals(response.headers.get("content-disposition")!.includes("filename*=UTF-8''gr%C3%BC%C3%9Fe.txt"), true);
  assertEquals(await response.text(), "hello file\n");
});

Deno.test("a download leaves its folder only by dots the developer wrote, as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    app.get("/named", (req: Any, res: Any) => res.download(`${FILES}/folder/${req.query.name}`));
    app.get("/climbing", (_req: Any, res: Any) => res.download(`${FILES}/folder/../hello.txt`));
    app.get("/folder", (_req: Any, res: Any) => res.download(`${FILES}/folder/`));
    app.use((error: Any, _req: Any, res: Any, _next: Any) => res.status(error.status).send(error.message));
  }, [
    ...["..\\hello.txt", "x\\..\\..\\hello.txt", "..\\", "x\\..", "index.html"].map((name) => ({
      path: `/named?name=${encodeURIComponent(name)}`,
    })),
    { path: "/climbing" },
    { path: "/folder" },
  ]);
  assertEquals(ours.map(({ status, body }) => [status, body]), theirs.map(({ status, body }) => [status, body]));
  assertEquals(ours[0]!.status, 403);
});

Deno.test("bad options are refused when the middleware is made", () => {
  assertThrows(() => sluice.static(undefined as Any), TypeError, "root path required");
  assertThrows(() => sluice.static(1 as Any), TypeError, "root path must be a string");
  assertThrows(() => sluice.static(".", { setHeaders: 1 as Any }), TypeError, "setHeaders");
});

Deno.test("a file that becomes a folder before it is read is passed to the error handlers", async () => {
  const app = quietApp();
  const stat = { isFile: true, isDirectory: false, size: 3, mtimeMs: 0 };
  const readBytes = () => Promise.reject(Object.assign(new Error("Is a directory"), { code: "EISDIR" }));
  const names = () => Promise.resolve(["changing.txt"]);
  const wholeBytes = 64 * 1024;
  const files = { stat: () => Promise.resolve(stat), names, readBytes, wholeBytes, workingDirectory: () => "/" };
  Object.defineProperty(app, runtimeKey, { value: { ...app[runtimeKey], files } });
  app.use(sluice.static("/public"));
  app.use((error: Any, _req: Any, res: Any, _next: Any) => res.status(500).send(error.code));
  assertEquals(await (await ask(app, "/changing.txt")).text(), "EISDIR");
});

Deno.test("a backslash does not bypass a middleware that guards a folder by its path", async () => {
  const app = quietApp();
  app.get("/named", (req, res) => res.sendFile(String(req.query.name), { root: FILES }));
  app.use("/s/folder", (_req, res) => res.sendStatus(401));
  app.use("/s", sluice.static(FILES));
  assertEquals((await ask(app, "/s/folder/index.html")).status, 401);
  assertEquals((await ask(app, "/s/folder%5cindex.html")).status, 404);
  assertEquals((await ask(app, "/named?name=folder%5Cindex.html")).status, 404);
});

Deno.test("a long Range header of blanks is parsed quickly", async () => {
  const began = performance.now();
  for (const range of [`bytes=${" ".repeat(100_000)}x`, `bytes=1-${" ".repeat(100_000)}x`]) {
    assertEquals((await ask(served(), "/s/hello.txt", { headers: { range } })).status, 200);
  }
  // it took many seconds when the expression tried every way to split the blanks
  assert(performance.now() - began < 1000);
});

/** A folder with a page in several codings, removed at the end. */
async function withCoded(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(CODED)) await Deno.writeTextFile(`${folder}/${name}`, text);
    await Deno.mkdir(`${folder}/styles.css.br`);
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

// their contents are not checked
const CODED = {
  "index.html": "the page itself",
  "index.html.br": "as brotli",
  "index.html.zst": "as Zstandard",
  "index.html.gz": "as gzip",
  "app.js": "a program",
  "app.js.gz": "a program as gzip",
  "styles.css": "styles",
  "lost.txt.gz": "without the file itself",
};

function precompressed(
  folder: string,
  option: ServeStaticOptions["precompressed"] = true,
  more: ServeStaticOptions = {},
) {
  const app = quietApp();
  app.use(sluice.static(folder, { precompressed: option, ...more }));
  return app;
}

const PREFERENCES: readonly (readonly [accepted: string | undefined, body: string, coding: string | null])[] = [
  [undefined, "the page itself", null],
  ["gzip, deflate, br, zstd", "as brotli", "br"],
  ["gzip, zstd", "as Zstandard", "zstd"],
  ["gzip", "as gzip", "gzip"],
  ["x-gzip", "as gzip", "gzip"],
  ["br;q=0.5, gzip", "as gzip", "gzip"],
  ["*", "as brotli", "br"],
  ["br;q=0, *", "as Zstandard", "zstd"],
  ["identity, gzip;q=0.5", "the page itself", null],
  ["identity;q=0", "the page itself", null],
];

for (const [accepted, body, coding] of PREFERENCES) {
  Deno.test(`with precompressed files, ${accepted ?? "nothing"} gets ${body}`, async () => {
    await withCoded(async (folder) => {
      const headers: Record<string, string> = accepted === undefined ? {} : { "accept-encoding": accepted };
      for (const path of ["/", "/index.html"]) {
        const response = await ask(precompressed(folder), path, { headers });
        const seen = ["content-encoding", "content-type", "vary"].map((name) => response.headers.get(name));
        assertEquals([response.status, await response.text(), ...seen], [
          ...[200, body, coding, "text/html; charset=utf-8", "Accept-Encoding"],
        ]);
      }
    });
  });
}

Deno.test("a list of codings is the server's order, and whatever is not in it is not sent", async () => {
  await withCoded(async (folder) => {
    const app = precompressed(folder, ["gzip", "br"]);
    const bodyFor = async (accepted: string) =>
      await (await ask(app, "/", { headers: { "accept-encoding": accepted } })).text();
    assertEquals(await bodyFor("br, gzip, zstd"), "as gzip");
    assertEquals(await bodyFor("br"), "as brotli");
    assertEquals(await bodyFor("zstd"), "the page itself");
  });
});

Deno.test("the next best coding is sent when there is no such file, and a folder is none", async () => {
  await withCoded(async (folder) => {
    const headers = { "accept-encoding": "gzip, br" };
    const app = precompressed(folder);
    assertEquals(await (await ask(app, "/app.js", { headers })).text(), "a program as gzip");
    assertEquals(await (await ask(app, "/styles.css", { headers })).text(), "styles");
  });
});

Deno.test("a compressed file without the file itself is not found, whatever the client accepts", async () => {
  await withCoded(async (folder) => {
    for (const accepted of ["gzip", "identity"]) {
      const response = await ask(precompressed(folder), "/lost.txt", { headers: { "accept-encoding": accepted } });
      assertEquals(response.status, 404);
      await response.body?.cancel();
    }
    const itself = await ask(precompressed(folder), "/lost.txt.gz", { headers: { "accept-encoding": "gzip" } });
    assertEquals([itself.headers.get("content-encoding"), await itself.text()], [null, "without the file itself"]);
  });
});

Deno.test("each coding has a tag, a length and ranges of its own", async () => {
  await withCoded(async (folder) => {
    // two with the same size and date
    const then = new Date(2026, 0, 2);
    await Deno.writeTextFile(`${folder}/index.html.br`, "8 bytes!");
    await Deno.writeTextFile(`${folder}/index.html.gz`, "8 bytes?");
    for (const name of ["index.html.br", "index.html.gz"]) await Deno.utime(`${folder}/${name}`, then, then);
    const app = precompressed(folder);
    const get = (accepted: string, more: Record<string, string> = {}, method = "GET") =>
      ask(app, "/", { method, headers: { "accept-encoding": accepted, ...more } });
    const tags = await Promise.all(["br", "gzip", "zstd", ""].map(async (accepted) => {
      const [got, head] = await Promise.all([get(accepted), get(accepted, {}, "HEAD")]);
      const told = ["etag", "last-modified", "content-encoding", "vary", "accept-ranges"];
      assertEquals(told.map((name) => head.headers.get(name)), told.map((name) => got.headers.get(name)));
      assertEquals([head.headers.get("content-length"), await head.text()], [`${(await got.text()).length}`, ""]);
      return got.headers.get("etag")!;
    }));
    assertEquals(new Set(tags).size, 4);
    const fresh = await get("br", { "if-none-match": tags[0]! });
    assertEquals(
      [fresh.status, fresh.headers.get("content-encoding"), fresh.headers.get("vary"), fresh.headers.get("etag")],
      [304, null, "Accept-Encoding", tags[0]],
    );
    assertEquals((await get("gzip", { "if-none-match": tags[0]! })).status, 200);
    const part = await get("br", { range: "bytes=2-6", "if-range": tags[0]! });
    assertEquals(
      [part.status, part.headers.get("content-range"), part.headers.get("content-encoding"), await part.text()],
      [206, "bytes 2-6/8", "br", "bytes"],
    );
    const other = await get("gzip", { range: "bytes=2-6", "if-range": tags[0]! });
    assertEquals([other.status, await other.text()], [200, "8 bytes?"]);
    const beyond = await get("br", { range: "bytes=100-" });
    assertEquals([beyond.status, beyond.headers.get("content-range"), beyond.headers.get("content-encoding")], [
      ...[416, "bytes */8", null],
    ]);
    await beyond.body?.cancel();
  });
});

Deno.test("setHeaders gets the path of the file itself, and may set Vary and a type", async () => {
  await withCoded(async (folder) => {
    const paths: string[] = [];
    const app = precompressed(folder, true, {
      setHeaders(res, path, stat) {
        paths.push(`${path.slice(folder.length)} ${stat.size}`);
        res.set("Vary", "Origin").type("text/x-own");
      },
    });
    const { headers, body } = await ask(app, "/app.js", { headers: { "accept-encoding": "gzip" } });
    assertEquals([headers.get("vary"), headers.get("content-type"), headers.get("content-encoding")], [
      ...["Origin, Accept-Encoding", "text/x-own; charset=utf-8", "gzip"],
    ]);
    assertEquals(paths, ["/app.js 17"]);
    await body?.cancel();
  });
});

Deno.test("a file that the runtime sends by itself is sent in its coding, again and again", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/a.txt`, "a".repeat(300_000));
    await Deno.writeTextFile(`${folder}/a.txt.gz`, "b".repeat(200_000));
    const app = precompressed(folder);
    for (let round = 0; round < 4; round++) {
      for (const [accepted, length] of [["gzip", 200_000], ["", 300_000]] as const) {
        const response = await ask(app, "/a.txt", { headers: { "accept-encoding": accepted } });
        assertEquals((await response.text()).length, length);
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("without the option nothing is looked for, and nothing varies", async () => {
  await withCoded(async (folder) => {
    for (const options of [{}, { precompressed: false }, { precompressed: undefined }]) {
      const app = quietApp().use(sluice.static(folder, options));
      const response = await ask(app, "/", { headers: { "accept-encoding": "gzip, br" } });
      const { headers } = response;
      assertEquals([headers.get("content-encoding"), headers.get("vary"), await response.text()], [
        ...[null, null, "the page itself"],
      ]);
    }
  });
});

Deno.test("codings that are not known are refused", () => {
  for (const bad of ["br", ["deflate"], ["gz"], 1, {}]) {
    // @ts-expect-error wrong type
    const error = assertThrows(() => sluice.static(FILES, { precompressed: bad }), TypeError);
    assertEquals(error.message.includes("option precompressed must be true or a list of br, zstd, gzip"), true);
  }
});
