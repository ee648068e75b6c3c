import { assertEquals, assertMatch } from "@std/assert";
import express from "express";
import sluice, { type FrameworkApp, type ServeStaticOptions } from "@sluice/sluice";
import { Disk, type DiskKind } from "../../reliability/fuzz/spellings/disk.ts";
import { requestOf } from "../../reliability/fuzz/spellings/spelling_fuzzer.ts";
import { quietApp } from "../support/app.ts";
import type { Any } from "../support/sluice_and_express.ts";
import { warningsOf } from "../support/warnings.ts";
import { runtimeKey } from "../../src/util/runtime_key.ts";

function on(kind: DiskKind, app: FrameworkApp, options?: ServeStaticOptions): FrameworkApp {
  const root = kind === "Windows" ? "C:/www" : "/www";
  const names = ["admin/secret.txt", "Café/menu.txt", "Long Name.txt", "x~1/y.txt"];
  const { files } = new Disk(kind, Object.fromEntries(names.map((name) => [`${root}/${name}`, name])));
  Object.defineProperty(app, runtimeKey, { value: { ...app[runtimeKey], files } });
  app.use(sluice.static(root, options));
  app.use((_req, res) => res.status(404).send("nothing"));
  return app;
}

async function bodies(app: FrameworkApp, ...paths: readonly string[]): Promise<string[]> {
  return await Promise.all(paths.map(async (path) => (await (await app.fetch(requestOf(path))).text()).slice(0, 40)));
}

Deno.test("a path that no client writes is a missing file: no redirect, and 404 without fallthrough", async () => {
  const refused = [
    "/%61dmin/secret.txt",
    "/admin%2Fsecret.txt",
    "//admin",
    "/x/../admin",
    "/admin/.",
    "/admin//",
    "/%2e/a",
  ];
  assertEquals(await bodies(on("exact", quietApp()), ...refused), refused.map(() => "nothing"));
  const app = on("exact", quietApp(), { fallthrough: false });
  app.use((error: Any, _req: Any, res: Any, _next: Any) => res.json([error.status, error.code, error.expose]));
  const missing = '[404,"ENOENT",false]';
  assertEquals(await bodies(app, "/none.txt", ...refused), [missing, ...refused.map(() => missing)]);
});

Deno.test("in development, the console says once why there was no file, and in production it does not", async () => {
  const told = await warningsOf(() =>
    bodies(on("exact", sluice().set("env", "development")), "/%61dmin/", "/%61dmin/x")
  );
  assertEquals(told, [
    'serveStatic found no file, because a path has "%61", which no client sends: a guard in front would not cover it',
  ]);
  assertEquals(await warningsOf(() => bodies(on("exact", sluice().set("env", "production")), "/%62/")), []);
});

// before any router in this process is case-sensitive
Deno.test("a disk that folds case finds a file in either case of ASCII letters, as routes do", async () => {
  for (const kind of ["macOS", "Windows"] as const) {
    const app = on(kind, quietApp());
    assertEquals(await bodies(app, "/ADMIN/Secret.TXT", "/caf%C3%A9/menu.txt", "/CAF%C3%A9/MENU.txt"), [
      "admin/secret.txt",
      "Café/menu.txt",
      "Café/menu.txt",
    ]);
  }
});

Deno.test("a disk that knows a file by further names serves it under the one that its folder lists", async () => {
  const app = on("Windows", quietApp());
  const others = [
    "/admin./secret.txt",
    "/admin/secret.txt.",
    "/admin/secret.txt::$DATA",
    "/LONGNA~1.TXT",
    "/admin%20/secret.txt",
  ];
  assertEquals(await bodies(app, ...others), others.map(() => "nothing"));
  assertEquals(await bodies(app, "/Long%20Name.txt", "/x~1/y.txt", "/x%7E1/y.txt"), [
    "Long Name.txt",
    "x~1/y.txt",
    "x~1/y.txt",
  ]);
  const mac = on("macOS", quietApp());
  // decomposed, a long s, and a different case outside ASCII
  const same = ["/Cafe%CC%81/menu.txt", "/admin/%C5%BFecret.txt", "/CAF%C3%89/menu.txt"];
  assertEquals(await bodies(mac, ...same), same.map(() => "nothing"));
});

Deno.test("with case-sensitive routing, a file has one case on every disk, and its folder no redirect in another", async () => {
  for (const kind of ["macOS", "Windows"] as const) {
    const app = on(kind, quietApp().enable("case sensitive routing"));
    assertEquals(await bodies(app, "/admin/secret.txt", "/Admin/secret.txt", "/ADMIN", "/admin/secret.TXT"), [
      "admin/secret.txt",
      "nothing",
      "nothing",
      "nothing",
    ]);
  }
});

Deno.test("the folder of an application of Express is served as carefully", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(`${folder}/admin`);
  await Deno.writeTextFile(`${folder}/admin/secret.txt`, "secret");
  const theirs = (express as Any)();
  theirs.use("/admin", (_req: Any, res: Any) => res.status(401).send("guarded"));
  theirs.use(sluice.static(folder));
  const server = theirs.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    for (const path of ["/%61dmin/secret.txt", "/admin%2fsecret.txt"]) {
      const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`);
      assertEquals(response.status, 404);
      assertMatch(await response.text(), /Cannot GET/);
    }
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await Deno.remove(folder, { recursive: true });
  }
});
