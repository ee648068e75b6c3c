/** Behavior that Express programs rely on, on both majors and on real Express. */
import "@sluice/sluice/node";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import cookieParser from "cookie-parser";
import real5 from "express";
import real4 from "express-4";
import express5 from "@sluice/express";
import express4 from "@sluice/express/4";
import { writeText } from "../support/raw_client.ts";
import type { Any } from "../support/sluice_and_express.ts";

/** Real Express and ours, by major. */
const MAJORS: Readonly<Record<string, readonly [real: Any, ours: Any]>> = {
  "Express 4": [real4, express4],
  "Express 5": [real5, express5],
};

const FILE = fileURLToPath(new URL("../fixtures/outside.txt", import.meta.url));

/** Listens on a free port, or at a path, and returns the response to a request for `/`, head and body. */
async function asked(app: Any, at: 0 | string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = await new Promise<Any>((resolve) => {
    const listening = at === 0 ? app.listen(0, "127.0.0.1", ready) : app.listen(at, ready);
    function ready() {
      resolve(listening);
    }
  });
  const connection = at === 0
    ? await Deno.connect({ port: server.address().port, hostname: "127.0.0.1" })
    : await Deno.connect({ transport: "unix", path: at });
  const lines = Object.entries({ host: "localhost", connection: "close", ...headers }).map((line) => line.join(": "));
  await writeText(connection, `GET / HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const text = await new Response(connection.readable).text();
  await new Promise((resolve) => server.close(resolve));
  return text;
}

/** Sends requests to an application on Node's server, and returns the statuses, headers and bodies. */
async function responsesOf(app: Any, asks: readonly (readonly [method: string, path: string])[]): Promise<unknown[]> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const responses: unknown[] = [];
  for (const [method, path] of asks) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    const response = await fetch(url, { method, headers: { connection: "close" } });
    const headers = ["allow", "content-type", "etag", "x-content-type-options"].map((name) =>
      response.headers.get(name)
    );
    responses.push([response.status, headers, await response.text()]);
  }
  await new Promise((resolve) => server.close(resolve));
  return responses;
}

for (const [name, both] of Object.entries(MAJORS)) {
  Deno.test(`as in ${name}, the response to OPTIONS has its order, type and entity tag`, async () => {
    const [theirs, ours] = await Promise.all(both.map((make) => {
      const app = make();
      app.post("/a", () => {});
      app.get("/a", () => {});
      app.use("/b", make().put("/c", () => {}));
      return responsesOf(app, [["OPTIONS", "/a"], ["OPTIONS", "/b/c"]]);
    }));
    assertEquals(ours, theirs);
  });

  Deno.test(`as in ${name}, a query stays or follows when the URL is rewritten, and has its application's parser`, async () => {
    const [theirs, ours] = await Promise.all(both.map((make) => {
      const app = make().set("query parser", "extended");
      app.use((req: Any, _res: Any, next: Any) => {
        if (req.path === "/read") req.query;
        if (req.path !== "/kept") req.url = "/inner?b[c]=2";
        next();
      });
      const inner = make().set("query parser", "simple");
      inner.use((req: Any, res: Any) => res.json(req.query));
      app.use("/inner", inner);
      app.use((req: Any, res: Any) => res.json(req.query));
      return responsesOf(app, [["GET", "/read?a[b]=1"], ["GET", "/unread?a[b]=1"], ["GET", "/kept?a[b]=1"], [
        "GET",
        "/",
      ]]);
    }));
    assertEquals(ours, theirs);
  });

  Deno.test(`as in ${name}, it is the same characters that end the part of a path that a RegExp mounts`, async () => {
    const [theirs, ours] = await Promise.all(both.map((make) => {
      const app = make().disable("etag");
      app.use(/^\/admin/, (_req: Any, res: Any, next: Any) => {
        res.locals.guarded = true;
        next();
      });
      app.use(/^\/in/, make.Router().use((req: Any, res: Any) => res.json([req.url, req.baseUrl])));
      app.use((_req: Any, res: Any) => res.json(res.locals));
      const paths = ["/admin", "/admin/x", "/admin.json", "/admin-x", "/administer", "/in.json/x", "/in/x", "/inn"];
      return responsesOf(app, paths.map((path) => ["GET", path] as const));
    }));
    assertEquals(ours, theirs);
  });

  Deno.test(`as in ${name}, requests have cookies once cookie-parser has set them, within a handler, too`, async () => {
    const seen = [];
    for (const make of both) {
      const app = make();
      const views: unknown[] = [];
      app.use((req: Any, res: Any, next: Any) => {
        views.push(req.cookies);
        cookieParser("secret")(req, res, next);
      });
      app.use((req: Any, res: Any) => {
        views.push({ ...req.cookies }, { ...req.signedCookies });
        res.end();
      });
      await asked(app, 0, { cookie: "a=1; b=j:[2]" });
      seen.push(views);
    }
    assertEquals(seen[1], seen[0]);
    assertEquals(seen[1]?.length, 3);
  });

  Deno.test(`as in ${name}, flat forms and queries have the same names, values and prototypes`, async () => {
    const texts = [
      ...["a=%E9&b=%ED%A0%80", "=c&[a]=1&[]=2", "__proto__=1&toString=2", "a=1&a=2&a", "a+b=%2B", "a[b]=1&a=%zz"],
      Array.from({ length: 1200 }, (_, i) => `a=${i}`).join("&"),
    ];
    const seen = [];
    for (const make of both) {
      const views: unknown[] = [];
      for (const parser of [false, "simple"]) {
        const app = make().set("query parser", parser);
        app.use(make.urlencoded({ extended: false, parameterLimit: Infinity }));
        app.use((req: Any, res: Any) => {
          for (const parsed of [req.query, req.body]) {
            views.push([Object.getPrototypeOf(parsed), Object.entries(parsed)]);
          }
          res.end();
        });
        for (const body of texts) {
          const server = createServer(app);
          await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
          const headers = { "content-type": "application/x-www-form-urlencoded", connection: "close" };
          const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?${body}`;
          await (await fetch(url, { method: "POST", headers, body })).text();
          await new Promise((resolve) => server.close(resolve));
        }
      }
      seen.push(views);
    }
    assertEquals(seen[1], seen[0]);
    assertEquals(seen[1]?.length, 4 * texts.length);
  });

  Deno.test(`as in ${name}, whoever wraps Node's response sees headers that are numbers as numbers`, async () => {
    const seen = [];
    for (const make of both) {
      const views: unknown[] = [];
      const app = make().set("env", "test");
      app.get("/text", (_req: Any, res: Any) => res.set("x-count", 1).send("text"));
      app.get("/file", (_req: Any, res: Any) => (res.setHeader("x-count", 1), res.sendFile(FILE)));
      app.get("/error", (_req: Any, _res: Any, next: Any) => next(new Error("failed")));
      const server = createServer((req, res) => {
        res.setHeader("x-host", 2);
        const { end } = res;
        res.end = function (this: typeof res, ...args: unknown[]) {
          views.push(["content-length", "x-count", "x-host"].map((name) => typeof this.getHeader(name)));
          return Reflect.apply(end, this, args);
        } as typeof end;
        app(req, res);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      for (const path of ["/text", "/file", "/error", "/missing"]) {
        await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      }
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      seen.push(views);
    }
    assertEquals(seen[1], seen[0]);
    assertEquals(seen[1]!.map((one) => (one as string[])[0]), ["string", "number", "number", "number"]);
  });

  Deno.test({
    name: `as in ${name}, applications listen at the path of a Unix socket`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const folder = await Deno.makeTempDir();
      for (const [index, make] of both.entries()) {
        const path = `${folder}/${index}.sock`;
        const app = make();
        app.get("/", (_req: Any, res: Any) => res.send("over a socket"));
        assertEquals((await asked(app, path)).split("\r\n\r\n")[1], "over a socket");
      }
      await Deno.remove(folder, { recursive: true });
    },
  });
}

Deno.test({
  name: "as in Express 5, the callback of app.listen gets the error of a path that is not available",
  ignore: Deno.build.os === "windows",
  async fn() {
    for (const make of MAJORS["Express 5"]!) {
      const error = await new Promise<Any>((resolve) => make().listen("/nowhere/at/all.sock", resolve));
      assertEquals(error.syscall, "listen");
    }
  },
});
