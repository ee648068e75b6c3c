import { cp } from "node:fs/promises";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { type FeedEvent, makeDemo } from "../../examples/demo/app.ts";
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
    const nowhere = await fetch(`${origin}/nowhere`);
    assertEquals(nowhere.status, 404);
    assertStringIncludes(await nowhere.text(), "Not here");
  });
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
