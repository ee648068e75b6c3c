import { assertEquals } from "@std/assert";
import { serveDir } from "@std/http";
import sluice from "@sluice/sluice";

Deno.test("serveDir of the standard library is mounted below a path", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/hello.txt`, "hello");
    const app = sluice();
    app.mount("/files", (request: Request) => serveDir(request, { fsRoot: folder, quiet: true }));
    const found = await app.handle(new Request("http://localhost/files/hello.txt"));
    assertEquals([found.status, await found.text()], [200, "hello"]);
    const missing = await app.handle(new Request("http://localhost/files/missing.txt"));
    await missing.body?.cancel();
    assertEquals(missing.status, 404);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
