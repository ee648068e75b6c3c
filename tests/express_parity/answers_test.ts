import { assertEquals } from "@std/assert";
import { type Any, type Ask, askBoth } from "../support/both.ts";

const FILES = new URL("../fixtures/files", import.meta.url).pathname;

interface Case {
  readonly name: string;
  readonly build: (app: Any, lib: Any) => void;
  readonly asks: readonly (string | Ask)[];
}

/** A request for a file with a header. */
const withHeader = (path: string, name: string, value: string): Ask => ({ path, init: { headers: { [name]: value } } });

const CASES: readonly Case[] = [
  {
    name: "a large file is sent where a middleware has replaced send",
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
    name: "a file that is sent as the page of an error never becomes a 304",
    build(app, lib) {
      app.get("/page/:status", (req: Any, res: Any) => res.status(+req.params.status).sendFile(`${FILES}/page.html`));
      app.use("/static", (_req: Any, res: Any, next: Any) => (res.statusCode = 404, next()), lib.static(FILES));
    },
    asks: ["/page/404", "/page/503", "/page/201", "/page/200", "/static/page.html"].map((path) =>
      withHeader(path, "if-none-match", "*")
    ),
  },
  {
    name: "a range in another unit is left aside",
    build: (app, lib) => void app.use(lib.static(FILES)),
    asks: ["items=50-60", "items=0-1", " bytes=0-1", "bytes=0-1,3-4", "bytes", "bytes=x", "BYTES=0-1"].map((range) =>
      withHeader("/hello.txt", "range", range)
    ),
  },
];

const LARGE = await Deno.makeTempFile({ suffix: ".txt" });

for (const { name, build, asks } of CASES) {
  Deno.test(`as in Express: ${name}`, async () => {
    await Deno.writeFile(LARGE, new Uint8Array(1024 * 1024 + 1).fill(65));
    try {
      const [ours, theirs] = await askBoth(build, asks.map((ask) => typeof ask === "string" ? { path: ask } : ask));
      assertEquals(ours, theirs);
    } finally {
      await Deno.remove(LARGE);
    }
  });
}
