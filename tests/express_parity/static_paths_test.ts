import { dirname } from "node:path";
import { assertEquals } from "@std/assert";
import { type Any, askBoth } from "../support/sluice_and_express.ts";

const FILES = [
  ...[
    "a.txt",
    "b.html",
    "index.html",
    "sub/index.html",
    "sub/a.txt",
    "sub/deep/index.html",
    "sub.html",
    "noindex/x.txt",
  ],
  ...[
    ".hidden/index.html",
    ".dot",
    "sp ace/index.html",
    "ü/index.html",
    "%2F/index.html",
    "a%2Fb.txt",
    "q?/index.html",
  ],
  ...["dir.html/x.txt", "back\\slash/index.html"],
];

const OPTIONS: Record<string, Any> = {
  usual: {},
  unredirected: { redirect: false },
  unindexed: { index: false },
  emptied: { index: [], redirect: false },
  strict: { fallthrough: false },
  completed: { extensions: ["html", "txt"] },
  several: { index: ["none.html", "index.html"] },
  deeper: { index: "deep/index.html" },
  open: { dotfiles: "allow" },
};

const PATHS = [
  ...[
    "",
    "/",
    "/sub",
    "/sub/",
    "/sub%2F",
    "/sub%2f",
    "/sub%2F/",
    "/sub/%2F",
    "/sub//",
    "/sub%2F%2F",
    "//sub",
    "//sub%2F",
  ],
  ...[
    "/sub%2Fdeep",
    "/sub%2Fdeep%2F",
    "/sub%2Fdeep/",
    "/sub%2Fa.txt",
    "/sub/a.txt/",
    "/sub/a.txt%2F",
    "/a.txt/",
    "/a.txt%2F",
  ],
  ...[
    "/noindex",
    "/noindex/",
    "/noindex%2F",
    "/.hidden",
    "/.hidden/",
    "/.hidden%2F",
    "/.dot",
    "/.dot%2F",
    "/%2F",
    "/%2Fsub%2F",
  ],
  ...[
    "/sp%20ace",
    "/sp%20ace/",
    "/sp%20ace%2F?x=%2F",
    "/sub?x=/",
    "/sub%2F?x=1",
    "/%C3%BC",
    "/%C3%BC%2F",
    "/q%3F/",
    "/q%3F%2F",
  ],
  ...[
    "/b",
    "/b/",
    "/b%2F",
    "/dir",
    "/dir.html",
    "/dir%2Ehtml/",
    "/%252F",
    "/%252F/",
    "/a%252Fb.txt",
    "/back%5Cslash/",
    "/sub%5C",
  ],
  ...["/none/", "/none%2F", "/none.txt%2F", "/sub%00", "/%zz", "/sub%20", "/sub;x"],
];

Deno.test("as in Express: static files ask for a folder by the slash as it was sent, and an escaped one finds nothing", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of FILES) {
      await Deno.mkdir(dirname(`${folder}/${name}`), { recursive: true });
      await Deno.writeTextFile(`${folder}/${name}`, name);
    }
    const build = (app: Any, lib: Any): void => {
      for (const [name, options] of Object.entries(OPTIONS)) app.use(`/${name}`, lib.static(folder, options));
      app.get("/sent/*path", (req: Any, res: Any) => {
        const requested = decodeURIComponent(req.path.slice("/sent/".length));
        res.sendFile(requested, { root: folder }, (error: Any) => {
          if (error && !res.headersSent) res.status(error.status ?? 500).json([error.code, error.syscall]);
        });
      });
      app.use((_req: Any, res: Any) => res.status(404).send("nothing"));
      app.use((error: Any, _req: Any, res: Any, _next: Any) =>
        res.status(error.status).json([error.code, error.syscall])
      );
    };
    const asks = [...Object.keys(OPTIONS), "sent"].flatMap((name) =>
      PATHS.map((path) => ({ path: `/${name}${path}` }))
    );
    const [ours, theirs] = await askBoth(build, asks);
    const told = (seen: typeof ours) => seen.map(({ status, headers, body }, i) => [asks[i], status, headers, body]);
    // Express serves these paths, and redirects to folders; here, guards for folders also cover them
    const isUncovered = ({ path }: { path: string }) =>
      !path.startsWith("/sent/") && /%2[ef]|%5c|\/\//i.test(path.split("?")[0]!);
    const covered = (_: unknown, i: number) => !isUncovered(asks[i]!);
    assertEquals(told(ours).filter(covered), told(theirs).filter(covered));
    const missing = ["nothing", '["ENOENT",null]', '["ENOENT","stat"]'];
    const found = ours.filter(({ body }, i) => isUncovered(asks[i]!) && !missing.includes(body));
    assertEquals(found, []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
