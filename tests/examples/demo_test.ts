import { cp } from "node:fs/promises";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { type FeedEvent, makeDemo } from "../../examples/demo/app.ts";
import { viewer } from "../../examples/demo/viewer.ts";
import { assertAccepted } from "../../openapi/tests/support/assert_accepted.ts";
import { serving } from "../support/app.ts";

Deno.test("the demo's pages, files, form and API work together", async () => {
  await serving(makeDemo(), async (origin) => {
    const home = await fetch(`${origin}/`);
    assertStringIncludes(await home.text(), "Handlers are Express&#39;s");
    const css = await fetch(`${origin}/static/demo.css`);
    assertEquals([css.headers.get("content-type"), css.headers.get("cache-control")], [
      "text/css; charset=utf-8",
      "public, max-age=3600",
    ]);
    await css.body?.cancel();
    const added = await fetch(`${origin}/notes`, {
      method: "POST",
      body: new URLSearchParams({ text: "<b>mine</b>" }),
    });
    assertStringIncludes(await added.text(), "&lt;b&gt;mine&lt;/b&gt;");
    const empty = await fetch(`${origin}/notes`, { method: "POST", body: new URLSearchParams({ text: " " }) });
    assertEquals(empty.status, 422);
    assertStringIncludes(await empty.text(), "Write something first.");
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"text":"by API"}' };
    const created = await fetch(`${origin}/api/notes`, json);
    assertEquals([created.status, created.headers.get("location")], [201, "/api/notes/5"]);
    assertEquals(await created.json(), { id: 5, text: "by API" });
    const missing = await fetch(`${origin}/api/notes/99`, { headers: { accept: "application/json" } });
    assertEquals(missing.status, 404);
    await missing.body?.cancel();
    const blank = { ...json, body: '{"text":" "}' };
    const refused = await fetch(`${origin}/api/notes`, blank);
    assertEquals([refused.status, refused.headers.get("content-type")], [422, "application/problem+json"]);
    const [{ in: part, pointer }] = (await refused.json()).errors;
    assertEquals([part, pointer], ["body", "/text"]);
    const nowhere = await fetch(`${origin}/nowhere`);
    assertEquals(nowhere.status, 404);
    assertStringIncludes(await nowhere.text(), "Not here");
  });
});

Deno.test("the demo's API has a document that two validators accept, pages, and a link to them", async () => {
  await serving(makeDemo(), async (origin) => {
    const home = await (await fetch(`${origin}/`)).text();
    const [, link] = home.match(/<a href="([^"]*)">API<\/a>/)!;
    const page = await fetch(`${origin}${link}`);
    assertEquals(page.status, 200);
    assertStringIncludes(await page.text(), "<title>Notes</title>");
    const document = await (await fetch(`${origin}/docs/openapi.json`)).json();
    await assertAccepted(document);
    assertEquals(document["x-not-expressible"], undefined);
    const routes = Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods as object)]);
    assertEquals(routes, [["/api/time", ["get"]], ["/api/notes", ["get", "post"]], ["/api/notes/{id}", ["get"]]]);
    const { responses, requestBody } = document.paths["/api/notes"].post;
    assertEquals(Object.keys(responses), ["201", "415", "422", "429"]);
    assertEquals(requestBody.content["application/json"].schema.properties.text.maxLength, 280);
  });
});

Deno.test("the viewer that the demo downloads is the one that the tests have", async () => {
  const { specifiers } = JSON.parse(await Deno.readTextFile(new URL("../deno.lock", import.meta.url)));
  const [, version] = Object.entries(specifiers).find(([name]) => name.startsWith("npm:swagger-ui-dist@"))!;
  const source = await Deno.readTextFile(new URL("../../examples/demo/viewer.ts", import.meta.url));
  assertStringIncludes(source, `"npm:swagger-ui-dist@${version}"`);
  assertStringIncludes(await viewer(), `swagger-ui-dist`);
});

Deno.test("the demo works in a folder whose name needs escaping in a URL", async () => {
  const folder = new URL("../../.cache/in a folder of mine, größer/", import.meta.url);
  await cp(new URL("../../examples/demo/", import.meta.url), folder, { recursive: true });
  try {
    const { makeDemo: makeCopy } = await import(new URL("app.ts", folder).href);
    const app = makeCopy();
    const statuses = await Promise.all(["/", "/static/demo.css"].map(async (path) => {
      const response = await app.fetch(new Request(`http://localhost${path}`));
      await response.body?.cancel();
      return response.status;
    }));
    assertEquals(statuses, [200, 200]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the demo limits its API and reports each request to the live page", async () => {
  await serving(makeDemo(), async (origin) => {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/live/feed`);
    const events: FeedEvent[] = [];
    const ready = Promise.withResolvers<void>();
    const all = Promise.withResolvers<void>();
    socket.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      if (event.hello) return ready.resolve();
      events.push(event);
      if (events.length === 12) all.resolve();
    };
    await ready.promise;
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const response = await fetch(`${origin}/api/time`);
      statuses.push(response.status);
      await response.body?.cancel();
    }
    await all.promise;
    assertEquals(statuses.filter((status) => status === 200).length, 10);
    assertEquals(events.map(({ admitted }) => admitted), statuses.map((status) => status === 200));
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  });
});
