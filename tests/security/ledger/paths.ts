import sluice, { type FrameworkApp, Router } from "@sluice/sluice";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ask, quietApp } from "../../support/app.ts";
import type { Theme } from "./flaw.ts";
import { quickly } from "./quickly.ts";

/** A site's files: one that only the guard for /admin lets through, and one in a folder next to the site's. */
const FILES = { "index.html": "home", "admin/secret.txt": "SECRET", "docs/page.txt": "page" };
const OUTSIDE = "OUTSIDE";

async function withSite(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of ["admin", "docs"]) await Deno.mkdir(`${folder}/site/${name}`, { recursive: true });
    for (const [path, text] of Object.entries(FILES)) await Deno.writeTextFile(`${folder}/site/${path}`, text);
    await Deno.mkdir(`${folder}/site-private`);
    for (const name of ["main.ts", "site-private/key.txt"]) await Deno.writeTextFile(`${folder}/${name}`, OUTSIDE);
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Asserts that no path returns a file from outside the served folder. */
async function staysInside(paths: readonly string[]): Promise<void> {
  await withSite(async (folder) => {
    const app = quietApp();
    app.use("/static", sluice.static(`${folder}/site`, { dotfiles: "allow" }));
    app.get("/file/*path", (req, res) => {
      res.sendFile((req.params["path"] as unknown as string[]).join("/"), {
        root: `${folder}/site`,
        dotfiles: "allow",
      });
    });
    assertEquals(await (await ask(app, "/static/docs/page.txt")).text(), "page");
    assertEquals(await (await ask(app, "/file/docs/page.txt")).text(), "page");
    for (const mount of ["/static", "/file"]) {
      for (const path of paths) {
        const response = await ask(app, mount + path);
        assert(!(await response.text()).includes(OUTSIDE), mount + path);
        assert(response.status >= 400, `${response.status} for ${mount}${path}`);
      }
    }
  });
}

/** Asserts that no path returns the file behind a guard. */
async function staysGuarded(paths: readonly string[]): Promise<void> {
  await withSite(async (folder) => {
    const app = quietApp();
    app.use("/admin", (_req, res) => res.status(403).send("guarded"));
    app.use(sluice.static(`${folder}/site`));
    assertEquals((await ask(app, "/admin/secret.txt")).status, 403);
    for (const path of paths) assert(!(await (await ask(app, path)).text()).includes(FILES["admin/secret.txt"]), path);
  });
}

/** An application with one route, which returns its parameters. */
function routed(path: string): FrameworkApp {
  return quietApp().get(path, (req, res) => res.json(req.params));
}

/** Asserts that a route is matched in linear time. */
async function matchesQuickly(route: string, paths: readonly string[]): Promise<void> {
  const app = routed(route);
  for (const path of paths) await quickly(async () => await (await ask(app, path)).body?.cancel());
}

/** Where a path leads: to a route, past a guard, or to a file. */
export const paths: Theme = {
  title: "Paths and files",
  file: "paths.ts",
  flaws: [
    {
      identifiers: ["CVE-2024-45296", "GHSA-9wv6-86v2-598j", "CVE-2024-52798"],
      package: "path-to-regexp",
      flaw: "`/:a-:b` became a regular expression that took quadratic time.",
      here: "`/:a-:b` is matched in linear time",
      attack: () => matchesQuickly("/:a-:b", [`/a${"-a".repeat(20_000)}/a`, `/${"-".repeat(40_000)}/`]),
    },
    {
      identifiers: ["CVE-2026-4867", "GHSA-37ch-88jc-xwx2"],
      package: "path-to-regexp",
      flaw: "Three parameters in one segment took exponential time despite the first fix.",
      here: "`/:a-:b-:c` and longer ones are matched in linear time",
      async attack() {
        const attacks = [`/a${"-a".repeat(10_000)}/a`, `/${"-".repeat(20_000)}/x`];
        for (const route of ["/:a-:b-:c", "/:a-:b-:c-:d", "/:a-:b-:c-:d-:e-:f"]) await matchesQuickly(route, attacks);
      },
    },
    {
      identifiers: ["CVE-2026-4923", "GHSA-27v5-c462-wpq7"],
      package: "path-to-regexp",
      flaw: "Two wildcards with a parameter between them took too much time.",
      here: "`/*foo-*bar-:baz` is matched in linear time",
      async attack() {
        await matchesQuickly("/*foo-*bar-:baz", [`/${"-".repeat(10_000)}/`, `/${"a-".repeat(10_000)}/`]);
      },
    },
    {
      identifiers: ["CVE-2026-4926", "GHSA-j3q9-mxjg-w52f"],
      package: "path-to-regexp",
      flaw: "Each optional group doubled the regular expression.",
      here:
        "a route with up to 8 optional groups is matched quickly, and one with more is an error when it is registered",
      async attack() {
        const routeOf = (parts: number) => `/x${Array.from({ length: parts }, (_, i) => `{-:p${i}}`).join("")}`;
        await matchesQuickly(routeOf(8), [`/x${"-a".repeat(20)}/y`, `/x${"-a".repeat(2000)}/y`]);
        for (const parts of [9, 14, 24]) {
          await quickly(() => assertThrows(() => routed(routeOf(parts)), TypeError, "optional"));
        }
      },
    },
    {
      identifiers: ["CVE-2014-6394"],
      package: "send",
      flaw: "A folder whose name began with the root's name was treated as inside the root.",
      here: "a folder next to the root is outside, whatever its name",
      attack: () =>
        staysInside([
          "/../site-private/key.txt",
          "/%2e%2e/site-private/key.txt",
          "/..%2fsite-private/key.txt",
          "-private/key.txt",
          "/docs/../../site-private/key.txt",
          "/docs/%2e%2e/%2e%2e/site-private/key.txt",
        ]),
    },
    {
      identifiers: ["CVE-2024-32869", "GHSA-3mpf-rcc7-5347"],
      package: "hono",
      flaw: "`/static/%2e%2e/main.ts` returned the file above the folder.",
      here: "no spelling of `..` escapes the root",
      attack: () =>
        staysInside([
          ...["/%2e%2e/main.ts", "/.%2e/main.ts", "/%2e./main.ts", "/%2E%2E/main.ts", "/..%2fmain.ts"],
          ...["/%2e%2e%2fmain.ts", "/docs/..%2f..%2fmain.ts", "/..%5cmain.ts", "/%2e%2e%5cmain.ts", "/..%00/main.ts"],
        ]),
    },
    {
      identifiers: ["GHSA-72gr-qfp7-vwhw"],
      package: "h3",
      flaw: "File paths were decoded twice.",
      here: "a path is decoded once: `%252e` becomes `%2e`",
      attack: () =>
        staysInside(["/%252e%252e/main.ts", "/%252e%252e%252fmain.ts", "/..%252fmain.ts", "/%25252e%25252e/main.ts"]),
    },
    {
      identifiers: ["CVE-2026-39407", "GHSA-wmmm-f939-6g9c", "CVE-2026-39406", "GHSA-92pp-h63x-v22m"],
      package: "hono, @hono/node-server",
      flaw: "Repeated slashes bypassed a guard on a path and reached the file behind it.",
      here: "a path with an empty segment matches no file",
      attack: () =>
        staysGuarded(["//admin/secret.txt", "/admin//secret.txt", "///admin/secret.txt", "//admin//secret.txt"]),
    },
    {
      identifiers: ["CVE-2026-29045", "CVE-2026-6414", "GHSA-x428-ghpx-8j92"],
      package: "hono, @fastify/static",
      flaw: "An encoded slash or letter bypassed a guard on a path and reached the file behind it.",
      here: "a path that encodes a slash, a dot or a letter matches no file",
      attack: () =>
        staysGuarded(["/admin%2fsecret.txt", "/admin%2Fsecret.txt", "/%61dmin/secret.txt", "/admi%6e/secret.txt"]),
    },
    {
      identifiers: ["CVE-2026-33490"],
      package: "h3",
      flaw: "Middleware for `/admin` also ran for `/administrator`.",
      here: "a mount matches only whole segments",
      async attack() {
        const app = quietApp();
        app.use("/admin", (req, _res, next) => {
          (req as unknown as { isAdmin: boolean }).isAdmin = true;
          next();
        });
        const router = Router();
        router.get("/*rest", (_req, res) => res.send("mounted"));
        app.use("/inner", router);
        app.get("/*rest", (req, res) => res.send(String((req as unknown as { isAdmin?: boolean }).isAdmin ?? false)));
        for (
          const path of ["/administrator", "/admin-public", "/adminstuff/x", "/admin.txt", "/admin%2f", "/innermost/x"]
        ) {
          assertEquals([path, await (await ask(app, path)).text()], [path, "false"]);
        }
        assertEquals(await (await ask(app, "/admin/x")).text(), "true");
      },
    },
    {
      identifiers: ["CVE-2026-47676"],
      package: "hono",
      flaw: "In paths with encoded characters, the prefix of a mount was cut off at the wrong place.",
      here: "the path in a mounted application begins exactly after the mount, encoded as sent",
      async attack() {
        const app = quietApp();
        const inner = quietApp();
        inner.use((req, res) => void res.json([req.baseUrl, req.url]));
        app.use("/:tenant/api", inner);
        for (const name of ["%E3%81%82", "caf%C3%A9", "%61", "a%20b", "%F0%9F%8D%A3"]) {
          const seen = await (await ask(app, `/${name}/api/${name}/x?q=${name}`)).json();
          assertEquals(seen, [`/${name}/api`, `/${name}/x?q=${name}`]);
        }
      },
    },
  ],
};
