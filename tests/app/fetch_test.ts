import { assertEquals } from "@std/assert";
import { quietApp } from "../support/app.ts";

const request = () => new Request("http://localhost/");

Deno.test("app.fetch is one function, which needs no receiver", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("answered"));
  const { fetch } = app;
  assertEquals(app.fetch === fetch, true);
  assertEquals(await (await fetch(request())).text(), "answered");
});

Deno.test("routes are served that were registered after app.fetch was read", async () => {
  const app = quietApp();
  const { fetch } = app;
  assertEquals((await fetch(request())).status, 404);
  app.get("/", (_req, res) => res.send("registered later"));
  assertEquals(await (await fetch(request())).text(), "registered later");
});

for (const when of ["before", "after"]) {
  Deno.test(`a program may wrap app.fetch, ${when} it has been read, and listen serves what it assigned`, async () => {
    const app = quietApp();
    app.get("/", (_req, res) => res.send("answered"));
    const { fetch: inner } = when === "after" ? app : quietApp().get("/", (_req, res) => res.send("another's"));
    Object.assign(app, {
      fetch: async (given: Request) => new Response(`wrapped: ${await (await inner(given)).text()}`),
    });
    const { port } = app.listen({ port: 0, hostname: "127.0.0.1" });
    const expected = when === "after" ? "wrapped: answered" : "wrapped: another's";
    assertEquals(await (await fetch(`http://127.0.0.1:${port}/`)).text(), expected);
    await app.close();
  });
}
