import { fileURLToPath } from "node:url";
import { OutgoingMessage } from "node:http";
import { assertEquals } from "@std/assert";
import { type Any, type Ask, askBoth } from "../support/sluice_and_express.ts";

const FILES = fileURLToPath(new URL("../fixtures/files", import.meta.url));

interface Case {
  readonly name: string;
  readonly build: (app: Any, lib: Any) => void;
  readonly asks: readonly (string | Ask)[];
}

const JSON_TYPE = { "content-type": "application/json" };

/** A request with a header, for a file. */
const withHeader = (path: string, name: string, value: string): Ask => ({ path, init: { headers: { [name]: value } } });

const CASES: readonly Case[] = [
  {
    name: "a send replaced for every application sees what json and sendStatus send",
    build(app, lib) {
      const { send } = lib.response;
      lib.response.send = function (body: Any) {
        this.set("Link", `<${typeof body}>`);
        return send.call(this, body);
      };
      app.get("/json", (_req: Any, res: Any) => res.json({ a: 1 }));
      app.get("/status", (_req: Any, res: Any) => res.sendStatus(202));
      app.get("/restore", (_req: Any, res: Any) => {
        lib.response.send = send;
        res.send("restored");
      });
    },
    asks: ["/json", "/status", "/restore"],
  },
  {
    name: "a large file is sent although a middleware has replaced send",
    build(app) {
      app.use((_req: Any, res: Any, next: Any) => {
        const { send } = res;
        res.send = (body: Any) => send.call(res, typeof body === "string" ? body : JSON.stringify(body));
        next();
      });
      app.get("/", (_req: Any, res: Any) => res.sendFile(LARGE));
    },
    asks: ["/"],
  },
  {
    name: "attributes of cookies are sent as they are given, and left out where they are falsy",
    build(app) {
      const given: Record<string, Any> = {
        none: { sameSite: "none" },
        None: { sameSite: "None", secure: false, partitioned: true },
        secure: { sameSite: "none", secure: true, priority: "high" },
        strict: { sameSite: true },
        lax: { sameSite: "lax", priority: "" },
        falsy: { sameSite: false, expires: null, priority: null },
        undefined: { sameSite: undefined, expires: undefined, priority: undefined },
      };
      app.get("/set/:name", (req: Any, res: Any) => res.cookie("t", "1", given[req.params.name]).send("set"));
      app.get("/clear", (_req: Any, res: Any) => res.clearCookie("t", given["none"]).send("cleared"));
    },
    asks: [
      ...["none", "None", "secure", "strict", "lax", "falsy", "undefined"].map((name) => `/set/${name}`),
      "/clear",
    ],
  },
  {
    name: "a backslash is part of a file's name where the system has it so",
    build(app) {
      const names = ["AC\\DC.mp3", "a\\b.pdf", "C:\\a\\b.txt", "a/x\\y.html", "a\\", "\\a.png", 'a\\"b.txt', "a.b\\c"];
      const tell = (res: Any) => res.send([res.get("Content-Disposition"), res.get("Content-Type")]);
      app.get("/attachment/:at", (req: Any, res: Any) => tell(res.attachment(names[req.params.at])));
      const told: unknown[] = [];
      const file = `${NAMELESS}/AC\\DC.mp3`;
      const note = (res: Any) => () => told.push([res.get("Content-Disposition"), res.get("Content-Type")]);
      app.get("/download", (_req: Any, res: Any) => res.download(file, note(res)));
      app.get("/named", (_req: Any, res: Any) => res.download(file, "x\\y.mp3", note(res)));
      app.get("/told", (_req: Any, res: Any) => res.json(told));
    },
    asks: [...Array.from({ length: 8 }, (_, at) => `/attachment/${at}`), "/download", "/named", "/told"],
  },
  {
    name: "a file sent as an error page never becomes a 304",
    build(app, lib) {
      app.get("/page/:status", (req: Any, res: Any) => res.status(+req.params.status).sendFile(`${FILES}/page.html`));
      app.use("/static", (_req: Any, res: Any, next: Any) => (res.statusCode = 404, next()), lib.static(FILES));
    },
    asks: ["/page/404", "/page/503", "/page/201", "/page/200", "/static/page.html"].map((path) =>
      withHeader(path, "if-none-match", "*")
    ),
  },
  {
    name: "a range in another unit is ignored",
    build: (app, lib) => void app.use(lib.static(FILES)),
    asks: ["items=50-60", "items=0-1", " bytes=0-1", "bytes=0-1,3-4", "bytes", "bytes=x", "BYTES=0-1"].map((range) =>
      withHeader("/hello.txt", "range", range)
    ),
  },
  {
    name: "setHeaders of static files gets what Express passes of a file",
    build: (app, lib) =>
      void app.use(lib.static(FILES, {
        setHeaders: (res: Any, path: string, stat: Any) =>
          res.set(
            "Link",
            `${path} ${stat.mtime.toISOString().slice(0, 19)} ${stat.size} ${stat.isFile()} ${stat.isDirectory()}`,
          ),
      })),
    asks: ["/hello.txt"],
  },
  {
    name: "a redirect accepts a URL object",
    build(app) {
      app.get("/a", (_req: Any, res: Any) => res.redirect(new URL("http://example.com/ü?x=<y>")));
      app.get("/b", (_req: Any, res: Any) => res.redirect(308, new URL("http://example.com")));
      app.get("/c", (_req: Any, res: Any) => res.location(new URL("http://example.com/c")).send("here"));
    },
    asks: ["/a", "/b", "/c"],
  },
  {
    name: "the status passed to writeHead stands, whatever is set afterwards",
    build(app) {
      app.get("/ended", (_req: Any, res: Any) => res.writeHead(202).status(404).end("x"));
      app.get("/written", (_req: Any, res: Any) => {
        res.writeHead(202);
        res.statusCode = 500;
        res.write("x");
        res.end();
      });
    },
    asks: ["/ended", "/written"],
  },
  {
    name: "headers passed to setHeaders replace those set before, cookies too",
    build(app) {
      const headers = new Headers([["X-One", "2"], ["Set-Cookie", "b=2"], ["Set-Cookie", "c=3"]]);
      const map = new Map<string, Any>([["X-One", ["2", "3"]], ["set-cookie", ["b=2", "c=3"]]]);
      app.use((_req: Any, res: Any, next: Any) => {
        res.cookie("a", "1").set("X-One", "1").set("X-Two", "1");
        next();
      });
      app.get("/headers", (_req: Any, res: Any) => res.setHeaders(headers).send("x"));
      app.get("/map", (_req: Any, res: Any) => res.setHeaders(map).send("x"));
      app.get("/twice", (_req: Any, res: Any) => res.setHeaders(headers).setHeaders(headers).send("x"));
      app.get("/without", (_req: Any, res: Any) => res.setHeaders(new Headers({ "X-One": "2" })).send("x"));
    },
    asks: ["/headers", "/map", "/twice", "/without"],
  },
  {
    name: "a list of headers passed to writeHead replaces those set before, and may repeat a name",
    build(app) {
      app.get("/list", (_req: Any, res: Any) => {
        res.set({ "Content-Type": "text/plain", "Link": "<before>", "Location": "/kept" });
        res.writeHead(200, ["Content-Type", "text/css", "link", "<one>", "Link", "<two>"]).end("x");
      });
      app.get("/text", (_req: Any, res: Any) => res.writeHead("404").end("text"));
      app.get("/fraction", (_req: Any, res: Any) => res.writeHead(202.9).end("fraction"));
    },
    asks: ["/list", "/text", "/fraction"],
  },
  {
    name: "headers can be set by the setHeader of Node's own responses, as npm's cookies does, until they are sent",
    build(app) {
      const { setHeader } = OutgoingMessage.prototype;
      let late: Any;
      app.get("/set", (_req: Any, res: Any) => {
        res.cookie("a", "1");
        setHeader.call(res, "Set-Cookie", [...[res.getHeader("Set-Cookie")].flat(), "b=2; path=/", "b.sig=3"]);
        setHeader.call(res, "Link", "<one>");
        res.send(res.get("Link"));
        try {
          setHeader.call(res, "Link", "<late>");
        } catch (error) {
          late = error;
        }
      });
      app.get("/late", (_req: Any, res: Any) => res.json(late.code));
    },
    asks: ["/set", "/late"],
  },
  {
    name: "a folder is served by its index page, and only with a trailing slash",
    build(app) {
      const told = (res: Any) => (error: Any) => error && res.send(`${error.code} ${error.status}`);
      for (
        const [at, index] of Object.entries({ default: undefined, none: false, other: ["none.html", "page.html"] })
      ) {
        const options = { root: FILES, ...(index === undefined ? {} : { index }) };
        app.get(`/${at}`, (req: Any, res: Any) => res.sendFile(req.query.path, options, told(res)));
      }
      app.get("/absolute", (req: Any, res: Any) => res.sendFile(FILES + req.query.path, told(res)));
      app.get("/next", (_req: Any, res: Any) => res.sendFile("folder", { root: FILES }));
    },
    asks: [
      ...["default", "none", "other", "absolute"].flatMap((at) =>
        ["/", "folder/", "folder", "/folder/", "/folder", "none/"].map((path) => `/${at}?path=${path}`)
      ),
      "/next",
    ],
  },
  {
    name: "common files have their types",
    build: (app) => void app.get("/:name", (req: Any, res: Any) => res.attachment(req.params.name).end()),
    asks: (
      "doc docx xls xlsx ppt pptx rtf pdf odt ods odp aif aiff flac m3u m3u8 m4a m4b mka mp3 wav wma avi flv m4v mkv " +
      "mp4 webm wmv srt vtt 7z apk gz jar rar rpm torrent xz zip eot otf ttf woff woff2 ics kml kmz mobi epub p12 pem " +
      "psd svg vcf webp avif csv json html js css md txt wasm xml yaml"
    ).split(" ").map((extension) => `/file.${extension}`),
  },
  {
    name: "a function that makes entity tags gets the body as a buffer",
    build(app) {
      const seen: Any[] = [];
      app.set("etag", (body: Any, encoding: Any) => {
        seen.push([Buffer.isBuffer(body), body.toString("hex"), encoding]);
        return `"${body.length}"`;
      });
      app.get("/text", (_req: Any, res: Any) => res.send("ü"));
      app.get("/json", (_req: Any, res: Any) => res.json({ a: "ü" }));
      app.get("/bytes", (_req: Any, res: Any) => res.send(Buffer.from("ü")));
      app.get("/seen", (_req: Any, res: Any) => res.end(JSON.stringify(seen)));
    },
    asks: ["/text", "/json", "/bytes", "/seen", withHeader("/text", "if-none-match", '"2"')],
  },
  {
    name: "an error without a prototype gets the page of its status",
    build(app) {
      const bare = (fields: object) => Object.assign(Object.create(null), fields);
      app.get("/thrown", () => {
        throw bare({ message: "nobody sees it" });
      });
      app.get("/passed", (_req: Any, _res: Any, next: Any) => next(bare({ status: 409, headers: { Link: "<why>" } })));
    },
    asks: ["/thrown", "/passed"],
  },
  {
    name: "JSONP without a body has its type",
    build: (app) => void app.get("/", (_req: Any, res: Any) => res.jsonp()),
    asks: ["/", "/?callback=f"],
  },
  {
    name: "an empty charset means the default one",
    build(app, lib) {
      app.use(lib.json(), lib.text({ defaultCharset: "latin1" }), lib.urlencoded());
      app.post("/", (req: Any, res: Any) => res.json(req.body));
    },
    asks: [["application/json", '{"a":"ü"}'], ["text/plain", "a"], ["application/x-www-form-urlencoded", "a=ü"]].map((
      [type, body],
    ) => ({ path: "/", init: { method: "POST", headers: { "content-type": `${type}; charset=` }, body: body! } })),
  },
  {
    name: "a file without an extension has no type, whatever its name is",
    build(app, lib) {
      app.use("/static", lib.static(NAMELESS));
      app.get("/sent/:name", (req: Any, res: Any) => res.sendFile(req.params.name, { root: NAMELESS }));
      app.get("/type/:name", (req: Any, res: Any) => res.type(req.params.name).send("x"));
    },
    asks: ["html", "js"].flatMap((name) => ["static", "sent", "type"].map((at) => `/${at}/${name}`)),
  },
  {
    name: "an error sent as JSON shows its message and details, and not its status and headers",
    build(app, lib) {
      app.use("/static", lib.static(FILES, { fallthrough: false, dotfiles: "deny" }));
      app.post("/json", lib.json({ limit: 10 }));
      app.use((error: Any, _req: Any, res: Any, _next: Any) => res.status(error.status).json(error));
    },
    asks: [
      ...["/static/%00", "/static/..%2f", "/static/.env"],
      { path: "/json", init: { method: "POST", body: '"longer than ten"', headers: JSON_TYPE } },
      {
        path: "/json",
        init: { method: "POST", body: "{}", headers: { "content-type": "application/json;charset=x" } },
      },
      { path: "/json", init: { method: "POST", body: "{}", headers: { ...JSON_TYPE, "content-encoding": "zip" } } },
    ],
  },
  {
    name: "the error of a missing file names it",
    build(app, lib) {
      app.use("/static", lib.static(FILES, { fallthrough: false }));
      app.get("/sent", (_req: Any, res: Any) => res.sendFile("none.txt", { root: FILES }));
      app.get("/told", (_req: Any, res: Any) => res.download(`${FILES}/none.txt`, (error: Any) => tell(error, res)));
      const tell = ({ status, code, syscall, path, message, expose }: Any, res: Any) =>
        res.json({ status, code, syscall, path, message, expose });
      app.use((error: Any, _req: Any, res: Any, _next: Any) => tell(error, res));
    },
    asks: ["/static/none.txt", "/sent", "/told"],
  },
];

const NAMELESS = await Deno.makeTempDir();
const LARGE = await Deno.makeTempFile({ suffix: ".txt" });

for (const { name, build, asks } of CASES) {
  Deno.test(`as in Express: ${name}`, async () => {
    await Deno.mkdir(NAMELESS, { recursive: true });
    for (const name of ["html", "js", "AC\\DC.mp3"]) await Deno.writeTextFile(`${NAMELESS}/${name}`, name);
    await Deno.writeFile(LARGE, new Uint8Array(1024 * 1024 + 1).fill(65));
    try {
      const [ours, theirs] = await askBoth(build, asks.map((ask) => typeof ask === "string" ? { path: ask } : ask));
      assertEquals(ours, theirs);
    } finally {
      await Deno.remove(LARGE);
      await Deno.remove(NAMELESS, { recursive: true });
    }
  });
}
