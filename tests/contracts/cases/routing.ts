import { assertEquals } from "@std/assert";
import { type Chapter, chapter, json, seen, text } from "../case.ts";

export const routing: Chapter = chapter("Routing", (it) => {
  it("the root responds", async ({ ask }) => assertEquals(await seen(ask, "/"), [200, "home"]));

  it("layers run in the order they were registered in, a parameter before a later static path", async ({ ask }) => {
    assertEquals(await json(ask, "/order/static"), ["first", "parameter", "second", "static"]);
    assertEquals(await json(ask, "/order/7"), ["first", "parameter", "second", "7"]);
  });

  it("parameters are decoded, and a wildcard is a list", async ({ ask }) => {
    assertEquals(await json(ask, "/users/a%20%C3%BC/files/x/y%2Fz"), { id: "a ü", path: ["x", "y/z"] });
  });

  it("a malformed escape in a parameter is 400", async ({ ask }) => {
    assertEquals((await seen(ask, "/items/%E0%A4"))[0], 400);
  });

  it("an optional part of a path may be left out", async ({ ask }) => {
    assertEquals([await json(ask, "/optional"), await json(ask, "/optional/2")], [{ page: null }, { page: "2" }]);
  });

  it("a regular expression is a path", async ({ ask }) => {
    assertEquals(await json(ask, "/pattern-42"), { 0: "42" });
    assertEquals((await seen(ask, "/pattern-x"))[0], 404);
  });

  it("parameter handlers run before the route", async ({ ask }) => {
    assertEquals(await text(ask, "/items/7"), "loaded 7");
  });

  it("a path matches in any case and with a trailing slash", async ({ ask }) => {
    assertEquals([await text(ask, "/ITEMS/7/"), await text(ask, "/Verbs/")], ["loaded 7", "got"]);
  });

  it("each method has its own handler", async ({ ask }) => {
    const responses = ["GET", "POST", "PATCH", "DELETE"].map((method) => seen(ask, "/verbs", { method }));
    assertEquals(await Promise.all(responses), [[200, "got"], [200, "posted"], [200, "patched"], [204, ""]]);
  });

  it("all() takes every method", async ({ ask }) => {
    const responses = ["GET", "PUT", "DELETE"].map((method) => text(ask, "/any", { method }));
    assertEquals(await Promise.all(responses), ["GET", "PUT", "DELETE"]);
  });

  it("HEAD is answered by the GET handler, without the body", async ({ ask }) => {
    assertEquals(await seen(ask, "/text", { method: "HEAD" }, "content-type"), [200, "", "text/html; charset=utf-8"]);
  });

  it("an assigned method does not change whether the client gets a body", async ({ ask }) => {
    assertEquals(await seen(ask, "/assigned/HEAD"), [200, "body"]);
    assertEquals(await seen(ask, "/assigned/GET", { method: "HEAD" }), [200, ""]);
  });

  it("OPTIONS lists the methods of a path", async ({ ask }) => {
    const [status, , allow] = await seen(ask, "/verbs", { method: "OPTIONS" }, "allow");
    assertEquals([status, String(allow).split(", ").sort()], [200, ["DELETE", "GET", "HEAD", "PATCH", "POST"]]);
  });

  it("next('route') continues with the next route", async ({ ask }) => {
    assertEquals(await text(ask, "/skip"), "the next route");
  });

  it("a rewritten URL is matched again, and the original one is kept", async ({ ask }) => {
    assertEquals(await text(ask, "/old/x"), "/old/renamed/x was /old/x");
  });

  it("a request that no handler answers gets Express's 404 page", async ({ ask }) => {
    const [status, page, type] = await seen(ask, "/nowhere?q=1", {}, "content-type");
    assertEquals([status, type], [404, "text/html; charset=utf-8"]);
    assertEquals(String(page).includes("<pre>Cannot GET /nowhere</pre>"), true);
  });

  it("a method without a handler is a 404", async ({ ask }) => {
    const [status, page] = await seen(ask, "/text", { method: "PUT" });
    assertEquals([status, String(page).includes("Cannot PUT /text")], [404, true]);
  });
});

export const mounting: Chapter = chapter("Routers, applications and handlers below a path", (it) => {
  it("a router sees its base path and its parent's parameters", async ({ ask }) => {
    assertEquals(await json(ask, "/team/blue/member/ann"), {
      team: "blue",
      name: "ann",
      baseUrl: "/team/blue",
      url: "/member/ann",
    });
  });

  it("next('router') leaves the router", async ({ ask }) => {
    assertEquals(await text(ask, "/team/blue/leave"), "left the router");
  });

  it("a mounted application has settings of its own", async ({ ask }) => {
    assertEquals(await json(ask, "/admin"), { mountpath: "/admin", title: "Admin", path: "/" });
  });

  it("a group shares a prefix and its middleware", async ({ ask }) => {
    assertEquals(await seen(ask, "/group/member", {}, "x-group"), [200, "in the group", "1"]);
  });

  it("a mounted Fetch handler sees the path below the mount", async ({ ask }) => {
    assertEquals(await text(ask, "/foreign/a/b", { method: "PUT" }), "PUT /a/b");
  });

  it("a mounted application of another framework reads the body itself", async ({ ask }) => {
    assertEquals(await json(ask, "/foreign-app", { method: "POST", body: "for another" }), { got: "for another" });
  });
});
