import { assertEquals } from "@std/assert";
import { ask, askText, quietApp } from "../support/app.ts";

/** Often enough to reveal any state that one response leaves for the next. */
const OFTEN = 300;

/** Everything a client sees in a response. */
async function seen(response: Response): Promise<unknown> {
  return [response.status, response.statusText, [...response.headers], await response.text()];
}

Deno.test("a response that is sent again and again stays the same", async () => {
  const app = quietApp();
  app.get("/text", (_req, res) => res.send("constant"));
  app.get("/json", (_req, res) => res.status(401).set("WWW-Authenticate", "Basic").json({ error: "Unauthorized" }));
  app.get("/reason", (_req, res) => {
    res.statusMessage = "Gone for good";
    res.status(410).send("gone");
  });
  for (const path of ["/text", "/json", "/reason", "/missing"]) {
    const first = await seen(await ask(app, path));
    for (let i = 0; i < OFTEN; i++) assertEquals(await seen(await ask(app, path)), first);
  }
});

Deno.test("each client gets a response of its own", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.set("X-Own", "own").send("constant"));
  for (const path of ["/", "/missing"]) {
    const first = await seen(await ask(app, path));
    for (let i = 0; i < OFTEN; i++) {
      const response = await ask(app, path);
      response.headers.set("x-own", "changed by a client");
      await response.body?.cancel();
    }
    assertEquals(await seen(await ask(app, path)), first);
  }
});

Deno.test("responses that differ in one thing only are not confused", async () => {
  const app = quietApp().set("etag", false);
  app.get("/", (req, res) => {
    const { status, reason, name, value, type, body } = req.query as Record<string, string>;
    if (reason) res.statusMessage = reason;
    if (name) res.append(name, value);
    if (name === "x-two") res.append(name, value);
    res.status(Number(status)).type(type!).send(body);
  });
  const choices = {
    status: ["200", "201", "404"],
    reason: ["", "Reason"],
    name: ["", "x-one", "x-two", "set-cookie", "etag"],
    value: ["a=1", "a=2"],
    type: ["text/plain", "text/html"],
    body: ["abc", "abd", "xbc"],
  };
  let state = 1;
  const pick = (from: readonly string[]): string => {
    state = Math.imul(state, 1_103_515_245) + 12_345 >>> 0;
    return from[(state >>> 16) % from.length]!;
  };
  for (let i = 0; i < 5000; i++) {
    const query = Object.fromEntries(Object.entries(choices).map(([key, from]) => [key, pick(from)]));
    const { status, reason, name, value, type, body } = query as Record<keyof typeof choices, string>;
    const response = await ask(app, `/?${new URLSearchParams(query)}`);
    const own = name === "" ? null : name === "x-two" ? `${value}, ${value}` : value;
    assertEquals(
      [response.status, response.statusText, response.headers.get(name || "x-none"), await response.text()],
      [Number(status), reason, own, body],
    );
    assertEquals(response.headers.get("content-type"), `${type}; charset=utf-8`);
  }
});

Deno.test("the page for what is missing names what was asked for, and is JSON only for those who prefer that", async () => {
  const app = quietApp();
  const asked = ["/a", "/b", "/a", "/a"];
  for (let i = 0; i < OFTEN; i++) {
    const path = asked[i % asked.length]!;
    assertEquals((await askText(app, path)).includes(`Cannot GET ${path}`), true);
    const response = await ask(app, path, { method: "POST", headers: { Accept: "application/json" } });
    assertEquals(await response.json(), { error: `Cannot POST ${path}` });
  }
});

Deno.test("a text that was sent often before still passes through what middleware has replaced", async () => {
  const app = quietApp().set("etag", false);
  app.get("/:how", (req, res) => {
    const { how } = req.params;
    const { set, setHeader, end } = res;
    if (how === "set") res.set = (...args: [string, string]) => (set.apply(res, args), set.call(res, "X-Seen", how));
    if (how === "setHeader") {
      res.setHeader = (name, value) => (setHeader.call(res, name, value), setHeader.call(res, "X-Seen", how));
    }
    if (how === "end") res.end = () => end.call(res, "replaced");
    if (how === "status") res.status(201);
    if (how === "reason") res.statusMessage = "Fine";
    if (how === "type") res.type("text/plain");
    if (how === "header") res.set("X-Seen", how);
    if (how === "removed") res.set("X-Seen", how).removeHeader("X-Seen");
    res.send("constant");
  });
  for (let i = 0; i < OFTEN; i++) assertEquals(await askText(app, "/plainly"), "constant");
  const asked = async (how: string, method = "GET") => {
    const { status, statusText, headers, body } = await ask(app, `/${how}`, { method });
    const text = body === null ? "" : await new Response(body).text();
    return [status, statusText, headers.get("content-type"), headers.get("x-seen"), text];
  };
  const html = "text/html; charset=utf-8";
  assertEquals(await asked("plainly"), [200, "", html, null, "constant"]);
  assertEquals(await asked("plainly", "HEAD"), [200, "", html, null, ""]);
  assertEquals(await asked("set"), [200, "", html, "set", "constant"]);
  assertEquals(await asked("setHeader"), [200, "", html, "setHeader", "constant"]);
  assertEquals(await asked("end"), [200, "", html, null, "replaced"]);
  assertEquals(await asked("status"), [201, "", html, null, "constant"]);
  assertEquals(await asked("reason"), [200, "Fine", html, null, "constant"]);
  assertEquals(await asked("type"), [200, "", "text/plain; charset=utf-8", null, "constant"]);
  assertEquals(await asked("header"), [200, "", html, "header", "constant"]);
  assertEquals(await asked("removed"), [200, "", html, null, "constant"]);
});

Deno.test("after a text, the response tells its headers and that it was sent", async () => {
  const app = quietApp().set("etag", false);
  const told: unknown[] = [];
  app.get("/", (_req, res) => {
    res.send("constant");
    told.push([res.headersSent, res.writableEnded, res.get("Content-Type"), res.get("Content-Length"), res.statusCode]);
  });
  for (let i = 0; i < OFTEN; i++) await askText(app, "/");
  assertEquals(new Set(told.map((one) => JSON.stringify(one))).size, 1);
  assertEquals(told[0], [true, true, "text/html; charset=utf-8", "8", 200]);
});
