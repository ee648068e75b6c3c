import sluice, { type FrameworkApp, type Response as SluiceResponse } from "@sluice/sluice";
import { metrics } from "@sluice/middleware/metrics";
import { MemorySessionStore, session, type SessionOptions, type SessionStore } from "@sluice/middleware/session";
import { assert, assertEquals, assertMatch } from "@std/assert";
import compression from "compression";
import { fileURLToPath } from "node:url";
import { until } from "../../tests/support/until.ts";
import { CookieClient } from "./support/cookie_client.ts";
import { SECRETS } from "./support/session_app.ts";

const SECRET = SECRETS[0];
const LARGE = "0123456789abcdef".repeat(16 * 1024);

type Respond = (res: SluiceResponse) => unknown;

const encoder = new TextEncoder();

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (const text of ["one ", "two ", "three"]) yield await Promise.resolve(encoder.encode(text));
}

/** Ways to respond, with status and body. */
const WAYS: Record<string, [Respond, number, string]> = {
  "res.json": [(res) => res.json({ a: 1 }), 200, '{"a":1}'],
  "res.send of text": [(res) => res.send("text"), 200, "text"],
  "res.send of bytes": [(res) => res.send(encoder.encode("bytes")), 200, "bytes"],
  "res.send of a Blob": [(res) => res.send(new Blob(["blob"])), 200, "blob"],
  "res.send of a stream": [(res) => res.send(new Blob(["stream"]).stream()), 200, "stream"],
  "res.send of an iterable": [(res) => res.send(chunks()), 200, "one two three"],
  "res.send of much": [(res) => res.send(LARGE), 200, LARGE],
  "res.sendStatus": [(res) => res.sendStatus(202), 202, "Accepted"],
  "res.sendFile": [(res) => res.sendFile(fileURLToPath(new URL("../LICENSE", import.meta.url))), 200, await license()],
  "res.redirect": [(res) => res.redirect("/"), 302, "Found. Redirecting to /"],
  "204": [(res) => res.status(204).end(), 204, ""],
  "res.end": [(res) => res.end("end"), 200, "end"],
  "res.end with a callback": [(res) => new Promise<void>((resolve) => res.end("end", () => resolve())), 200, "end"],
  "res.writeHead and end": [(res) => res.writeHead(201, { "X-A": "1" }).end("head"), 201, "head"],
  "res.writeHead with cookies": [
    (res) => res.writeHead(201, { "Set-Cookie": "own=1", Vary: "X" }).end("head"),
    201,
    "head",
  ],
  "res.writeHead with a list, with cookies": [
    (res) => res.writeHead(201, ["Set-Cookie", "own=1"]).end("head"),
    201,
    "head",
  ],
  "res.write and end": [(res) => (res.write("wri"), res.write("tten"), res.end("!")), 200, "written!"],
  "res.write, and end later": [
    async (res) => {
      res.write("written");
      await new Promise<void>((resolve) => res.write(" slowly", () => resolve()));
      res.end();
    },
    200,
    "written slowly",
  ],
  "res.write of much": [
    async (res) => {
      for (let i = 0; i < 8; i++) {
        if (!res.write(LARGE)) await new Promise<void>((resolve) => res.once("drain", () => resolve()));
      }
      res.end();
    },
    200,
    LARGE.repeat(8),
  ],
  "res.flushHeaders": [(res) => (res.flushHeaders(), res.end("flushed")), 200, "flushed"],
  "a returned Response": [() => new Response("web", { status: 203, headers: { vary: "Accept" } }), 203, "web"],
  "a returned Response with cookies": [() => new Response("web", { headers: { "set-cookie": "own=1" } }), 200, "web"],
  "a returned Response that streams": [() => new Response(new Blob([LARGE]).stream()), 200, LARGE],
  "a returned Response without a body": [() => new Response(null, { status: 204 }), 204, ""],
  "a page of the framework's": [(res) => res.req.next!(), 404, "Cannot GET /set"],
  "an error": [() => Promise.reject(Object.assign(new Error("sorry"), { status: 418 })), 418, "sorry"],
};

function license(): Promise<string> {
  return Deno.readTextFile(new URL("../LICENSE", import.meta.url));
}

function responding(respond: Respond, options: SessionOptions, ...around: Parameters<FrameworkApp["use"]>[0][]) {
  const app = sluice().set("env", "test");
  const [before, after] = around;
  if (before !== undefined) app.use(before);
  app.use(session(options));
  if (after !== undefined) app.use(after);
  app.get("/read", (req, res) => res.json(req.session));
  app.get("/set", (req, res) => {
    req.session.n = (req.session.n ?? 0) + 1;
    return respond(res) as undefined;
  });
  return app;
}

/** A store whose operations each take one tick of the event loop. */
function slowStore(): SessionStore {
  const store = new MemorySessionStore();
  const late = async <T>(result: () => Promise<T>): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    return await result();
  };
  return {
    get: (id) => late(() => store.get(id)),
    set: (id, content, options) => late(() => store.set(id, content, options)),
    destroy: (id) => late(() => store.destroy(id)),
    touch: (id, ttlMs) => late(() => store.touch(id, ttlMs)),
  };
}

// deno-lint-ignore no-explicit-any -- typed for Express
const compress = (): any => compression({ threshold: 0 });

const SURROUNDED: Record<string, () => [SessionOptions, ...Parameters<FrameworkApp["use"]>[0][]]> = {
  "sealed": () => [{ secret: SECRET }],
  "in a store": () => [{ store: slowStore() }],
  "sealed, inside compression": () => [{ secret: SECRET }, compress()],
  "sealed, around compression":
    () => [{ secret: SECRET }, (_req: unknown, _res: unknown, next: () => void) => next(), compress()],
};

for (const [how, options] of Object.entries(SURROUNDED)) {
  for (const [way, [respond, status, text]] of Object.entries(WAYS)) {
    Deno.test(`a session that is ${how} is kept before ${way}`, async () => {
      const app = responding(respond, ...options());
      const client = new CookieClient(app);
      for (const n of [1, 2]) {
        const response = await client.ask("/set", { headers: { "accept-encoding": "gzip" } });
        assertEquals(response.status, status);
        const gzip = response.headers.get("content-encoding") === "gzip";
        const body = gzip ? response.body!.pipeThrough(new DecompressionStream("gzip")) : response.body;
        const seen = await new Response(body).text();
        if (status < 400) assertEquals(seen === text, true, seen.slice(0, 100));
        else assert(seen.includes(text), seen);
        assertEquals(client.setCookies.filter((line) => line.startsWith("session=")).length, 1);
        assertEquals(client.cookies.get("own"), way.endsWith("with cookies") ? "1" : undefined);
        assertMatch(response.headers.get("vary")!, way === "a returned Response" ? /Accept, Cookie/ : /Cookie/);
        assertEquals(await client.json("/read"), { n });
      }
      const head = await client.ask("/set", { method: "HEAD", headers: { "accept-encoding": "gzip" } });
      assertEquals([head.status, await head.text(), client.setCookies.some((line) => line.startsWith("session="))], [
        ...[status, "", true],
      ]);
      assertEquals(await client.json("/read"), { n: 3 });
    });
  }
}

Deno.test("a session is kept with a 304, too", async () => {
  const client = new CookieClient(responding((res) => res.set("ETag", '"1"').send("text"), { secret: SECRET }));
  const response = await client.ask("/set", { headers: { "if-none-match": '"1"' } });
  assertEquals([response.status, await response.text(), client.setCookies.length], [304, "", 1]);
});

Deno.test("while a response waits it looks as if it had been sent", async () => {
  const seen: unknown[] = [];
  const state = (res: SluiceResponse) => [res.headersSent, res.writableEnded, res.finished];
  const app = responding((res) => {
    seen.push(state(res));
    res.status(201).json("first");
    seen.push(state(res));
    try {
      res.json("second");
    } catch (error) {
      seen.push((error as { code: string }).code);
    }
    res.once("finish", () => seen.push(state(res)));
  }, { secret: SECRET });
  const response = await app.inject("/set");
  assertEquals([response.status, await response.json()], [201, "first"]);
  await Promise.resolve();
  assertEquals(seen, [[false, false, false], [true, true, true], "ERR_HTTP_HEADERS_SENT", [true, true, true]]);
});

Deno.test("a second head while a response waits is the caller's error, and changes nothing of it", async () => {
  for (const surround of [[], [compress()]]) {
    const codes: unknown[] = [];
    const app = responding(
      (res) => {
        res.writeHead(201);
        try {
          res.writeHead(202);
        } catch (error) {
          codes.push((error as { code: string }).code);
        }
        res.end("first");
      },
      { secret: SECRET },
      ...surround,
    );
    const response = await app.inject("/set");
    assertEquals([response.status, await response.text(), codes], [201, "first", ["ERR_HTTP_HEADERS_SENT"]]);
  }
});

Deno.test("to a client that leaves while a response waits, nothing has been sent", async () => {
  const store = slowStore();
  const saving = Promise.withResolvers<boolean>();
  const closed = Promise.withResolvers<unknown[]>();
  const app = responding(
    (res) => res.json("waits"),
    { store: { ...store, set: () => saving.promise } },
    (_req: unknown, res: SluiceResponse, next: () => void) => {
      res.on("close", () => closed.resolve([res.headersSent, res.writableEnded, res.writableFinished]));
      next();
    },
  );
  const leaving = new AbortController();
  const pending = app.inject("/set", { signal: leaving.signal });
  leaving.abort();
  await pending.catch(() => {});
  assertEquals(await closed.promise, [false, false, false]);
  saving.resolve(true);
});

Deno.test("an error after a response that waits changes nothing of it", async () => {
  const app = responding((res) => {
    res.json("sent");
    throw new Error("too late");
  }, { secret: SECRET });
  const errors: unknown[] = [];
  app.on("error", (error: unknown) => errors.push(error));
  const client = new CookieClient(app);
  assertEquals([await client.json("/set"), client.setCookies.length], ["sent", 1]);
});

Deno.test("a status set while a response waits is not sent", async () => {
  for (const way of ["json", "end", "flushHeaders", "writeHead"] as const) {
    const app = responding((res) => {
      if (way === "writeHead") res.writeHead(201).end("sent");
      else if (way === "flushHeaders") res.status(201).flushHeaders();
      else res.status(201)[way]("sent");
      res.status(500).end();
    }, { secret: SECRET });
    assertEquals([way, (await app.inject("/set")).status], [way, 201]);
  }
});

Deno.test("what is written while a response waits is bounded, and goes on when it has been sent", async () => {
  const results: boolean[] = [];
  const app = responding(async (res) => {
    for (let i = 0; i < 6; i++) results.push(res.write(LARGE));
    await new Promise<void>((resolve) => res.once("drain", () => resolve()));
    res.end("end");
  }, { secret: SECRET });
  const response = await app.inject("/set");
  assertEquals((await response.text()).length, 6 * LARGE.length + 3);
  assertEquals(results, [true, true, true, false, false, false]);
});

Deno.test("a store that fails is an error, and nothing of the response is sent", async () => {
  const broken: SessionStore = { ...slowStore(), set: () => Promise.reject(new Error("no store today")) };
  for (const [respond] of [WAYS["res.json"]!, WAYS["res.write of much"]!, WAYS["a returned Response that streams"]!]) {
    const app = responding(respond, { store: broken });
    const client = new CookieClient(app);
    const response = await client.ask("/set");
    assertEquals([response.status, client.setCookies], [500, []]);
    assertMatch(await response.text(), /Error: no store today/);
  }
});

Deno.test("a store that cannot be read is an error before any handler runs", async () => {
  const broken: SessionStore = { ...slowStore(), get: () => Promise.reject(new Error("no store today")) };
  const app = responding(() => assert(false), { store: broken });
  const response = await app.inject("/set", { headers: { cookie: `session=${"a".repeat(43)}` } });
  assertEquals(response.status, 500);
  assertMatch(await response.text(), /Error: no store today/);
});

Deno.test("a handler that catches the failure of save() or destroy() may respond as it wants", async () => {
  const fails = () => Promise.reject(new Error("no store today"));
  const broken: SessionStore = { ...slowStore(), set: fails, destroy: fails };
  const app = responding(() => {}, { store: broken });
  app.get("/caught", async (req, res) => {
    req.session.n = 1;
    const failure = await req.session.save().catch((error: Error) => error.message);
    res.status(503).json(failure);
  });
  const response = await app.inject("/caught");
  assertEquals([response.status, await response.json()], [503, "no store today"]);
});

Deno.test("a change after the head: a store keeps it before the end, of a sealed one it is an error", async () => {
  const respond: Respond = async (res) => {
    res.write("head");
    await new Promise<void>((resolve) => res.write(", ", () => resolve()));
    res.req.session.late = true;
    res.end("end");
  };
  const stored = new CookieClient(responding(respond, { store: slowStore() }));
  assertEquals(await stored.text("/set"), "head, end");
  assertEquals(await stored.json("/read"), { n: 1, late: true });
  const app = responding(respond, { secret: SECRET });
  const reported: string[] = [];
  app.on("error", (error, { phase }) => reported.push(`${phase}: ${(error as Error).message}`));
  const sealed = new CookieClient(app);
  assertEquals(await sealed.text("/set"), "head, end");
  assertEquals(await sealed.json("/read"), { n: 1 });
  assertEquals(reported.length, 1);
  assertMatch(
    reported[0]!,
    /response: req\.session was changed after the response head, and its cookie with it, had been sent/,
  );
});

Deno.test("a session that ends after the head: a store deletes it before the end, of a sealed one it is an error", async () => {
  const respond: Respond = async (res) => {
    res.write("head");
    await new Promise<void>((resolve) => res.write(", ", () => resolve()));
    if (res.req.session.n > 1) res.req.session = null;
    else res.req.session.touch();
    res.end("end");
  };
  for (const [options, left] of [[{ store: slowStore() }, {}], [{ secret: SECRET }, { n: 2 }]] as const) {
    const app = responding(respond, options);
    const reported: unknown[] = [];
    app.on("error", (error) => reported.push(error));
    const client = new CookieClient(app);
    for (const n of [1, 2]) {
      assertEquals(await client.json("/read"), n === 1 ? {} : { n: 1 });
      assertEquals(await client.text("/set"), "head, end");
    }
    assertEquals(await client.json("/read"), left);
    assertEquals(reported.length, "store" in options ? 0 : 1);
  }
});

Deno.test("a sealed session can neither be saved nor destroyed when the head has been sent", async () => {
  const failures: string[] = [];
  const app = responding(async (res) => {
    res.flushHeaders();
    await new Promise<void>((resolve) => res.write("head", () => resolve()));
    const { session } = res.req;
    for (const call of [session.save(), session.destroy()]) {
      failures.push(await call.then(() => "done", (error: Error) => error.message));
    }
    res.end();
  }, { secret: SECRET });
  await (await app.inject("/set")).text();
  assertMatch(failures[0]!, /^req\.session was changed after the response head/);
  assertMatch(failures[1]!, /^req\.session: the response has begun, and can no longer delete the cookie/);
});

Deno.test("a session that was only read makes no response wait", async () => {
  const app = responding(() => {}, { secret: SECRET });
  app.get("/only-read", (req, res) => {
    void req.session.n;
    res.json("sent");
    res.locals["sent"] = res.headersSent && Object.hasOwn(res, "headersSent") === false;
    assert(res.locals["sent"]);
  });
  assertEquals(await (await app.inject("/only-read")).json(), "sent");
});

/** Ways to respond, all of which wait for the session. */
const WAITING: Readonly<Record<string, (res: SluiceResponse) => unknown>> = {
  "res.send": (res) => res.send("a page"),
  "res.write and res.end": (res) => {
    res.write("a page");
    res.end();
  },
  "res.writeHead and res.end": (res) => {
    res.writeHead(200);
    res.end("a page");
  },
};

for (const [way, respond] of Object.entries(WAITING)) {
  for (const outcome of ["saved", "failed"] as const) {
    Deno.test(`a client that leaves before the session is ${outcome} keeps no request in flight: ${way}`, async () => {
      const saving = Promise.withResolvers<boolean>();
      const measured = metrics({ openTelemetry: false });
      const store = { ...slowStore(), set: () => saving.promise };
      const app = responding(respond, { store }, measured);
      const failed = new Promise((resolve) => app.on("error", resolve));
      const leaving = new AbortController();
      const response = app.inject("/set", { signal: leaving.signal });
      leaving.abort();
      await response.catch(() => {});
      const active = () => /^http_server_active_requests\{.*\} (\d+)$/m.exec(measured.metrics())?.[1];
      assertEquals(active(), "1");
      if (outcome === "saved") saving.resolve(true);
      else saving.reject(new Error("planted: no store"));
      if (outcome === "failed") await failed;
      await until(() => active() === "0", "no request is in flight");
    });
  }
}
