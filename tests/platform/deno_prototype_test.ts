/** Texts that are sent so often that their responses inherit from a prototype; Deno's server sends those. */
import { assert, assertEquals } from "@std/assert";
import type { FrameworkApp } from "@sluice/sluice";
import { ask, quietApp } from "../support/app.ts";

const HTML = "text/html; charset=utf-8";

/** Often enough that a text gets a prototype. */
const OFTEN = 1000;

type Around = (response: Response, request: Request) => Response | Promise<Response>;

/** An application whose page for `/` is inherited from a prototype by now. */
async function warmApp(text = "constant"): Promise<FrameworkApp> {
  const app = quietApp().set("etag", false);
  app.get("/", (_req, res) => res.send(text));
  await warm(app);
  assert(inherits(await ask(app, "/")), "this version of Deno is not known to send what inherits");
  return app;
}

async function warm(app: FrameworkApp): Promise<void> {
  for (let i = 0; i < OFTEN; i++) await ask(app, "/");
}

function inherits(response: Response): boolean {
  return Object.getPrototypeOf(response) !== Response.prototype;
}

/** Asks a server of Deno for the page several times, with a handler around the application. */
async function throughServer(app: FrameworkApp, around: Around, times = 3): Promise<unknown[]> {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request, info) => around(await app.fetch(request, info), request),
  );
  const seen: unknown[] = [];
  for (let i = 0; i < times; i++) {
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
    const { headers, status } = response;
    seen.push([status, headers.get("content-type"), headers.get("x-own"), await response.text()]);
  }
  return seen;
}

const PLAIN = [200, HTML, null, "constant"];

Deno.test("a server sends what inherits, as often as it is asked", async () => {
  const app = await warmApp();
  let inherited = 0;
  const seen = await throughServer(app, (response) => {
    if (inherits(response)) inherited++;
    return response;
  }, 20);
  assertEquals(seen, Array(20).fill(PLAIN));
  assertEquals(inherited, 20);
});

Deno.test("a response that inherits is a response, and shows what it consists of", async () => {
  const app = await warmApp();
  const response = await ask(app, "/");
  assert(response instanceof Response);
  assertEquals(response.constructor, Response);
  assertEquals(Object.prototype.toString.call(response), "[object Response]");
  const { status, statusText, ok, type, url, redirected, bodyUsed, headers } = response;
  assertEquals(
    [status, statusText, ok, type, url, redirected, bodyUsed, [...headers]],
    [200, "", true, "default", "", false, false, [["content-type", HTML]]],
  );
  assert(response.headers === headers);
  assert(response.body instanceof ReadableStream);
  assertEquals([await response.text(), response.bodyUsed], ["constant", true]);
  assert(Deno.inspect(await ask(app, "/")).includes(`"content-type": "${HTML}"`));
});

Deno.test("every way to read the body does what it does with any response, and only with the one that was asked", async () => {
  const app = await warmApp();
  const ways: ((response: Response) => Promise<unknown>)[] = [
    (response) => response.text(),
    (response) => response.bytes(),
    async (response) => new Uint8Array(await response.arrayBuffer()),
    async (response) => [(await response.clone().blob()).type, await (await response.blob()).text()],
    (response) => response.json(),
    (response) => response.formData(),
    (response) => new Response(response.body).text(),
    async (response) => (await Array.fromAsync(response.body!)).length,
    async (response) => (await response.body!.cancel(), response.body!.locked),
    async (response) => (response.body!.getReader(), await response.text()),
  ];
  const outcome = async (read: (response: Response) => Promise<unknown>, response: Response) => {
    const seen: unknown[] = [];
    for (let i = 0; i < 2; i++) seen.push(await read(response).catch(String), response.bodyUsed);
    return seen;
  };
  const others = await Promise.all(ways.map(() => ask(app, "/")));
  for (const read of ways) {
    const response = await ask(app, "/");
    assert(inherits(response));
    const expected = await outcome(read, new Response("constant", { headers: { "content-type": HTML } }));
    assertEquals(await outcome(read, response), expected, String(read));
  }
  for (const other of others) assertEquals([other.bodyUsed, await other.text()], [false, "constant"]);
  assertEquals(await throughServer(app, (response) => response), Array(3).fill(PLAIN));
});

Deno.test("a handler around the application changes only the response that it has", async () => {
  const app = await warmApp();
  let count = 0;
  const seen = await throughServer(app, (response) => {
    if (count++ % 2 === 0) response.headers.set("X-Own", String(count));
    return response;
  }, 4);
  assertEquals(seen, [[200, HTML, "1", "constant"], PLAIN, [200, HTML, "3", "constant"], PLAIN]);
});

Deno.test("a handler around the application may return what it makes of a response", async () => {
  const app = await warmApp();
  const own = [200, HTML, "own", "constant"];
  const ways: [Around, unknown][] = [
    [(response) => response.clone(), PLAIN],
    [(response) => new Response(response.body, response), PLAIN],
    [async (response) => new Response(`${await response.text()}!`, response), [200, HTML, null, "constant!"]],
    [
      (response) =>
        new Response(response.body, { headers: { ...Object.fromEntries(response.headers), "x-own": "own" } }),
      own,
    ],
    [(response) => (response.bodyUsed, response), PLAIN],
    [(response) => (response.headers.delete("content-type"), response), [200, null, null, "constant"]],
  ];
  for (const [around, expected] of ways) {
    assertEquals(await throughServer(app, around), Array(3).fill(expected));
    assertEquals(await throughServer(app, (response) => response), Array(3).fill(PLAIN));
  }
});

Deno.test("after a response was sent, it says so, and the next ones are not affected", async () => {
  const app = await warmApp();
  const kept: Response[] = [];
  const keep: Around = (response) => (kept.push(response), response);
  assertEquals(await throughServer(app, keep), Array(3).fill(PLAIN));
  for (const response of kept) {
    assertEquals(response.bodyUsed, true);
    await response.text().then(() => assert(false), (error) => assert(error instanceof TypeError));
  }
  assertEquals(await throughServer(app, keep), Array(3).fill(PLAIN));
});

Deno.test("the next clients get theirs even if somebody gets past the methods of a response", async () => {
  const text = "for those who get past";
  const app = await warmApp(text);
  const { prototype } = Response;
  const headers = Object.getOwnPropertyDescriptor(prototype, "headers")!.get!;
  const body = Object.getOwnPropertyDescriptor(prototype, "body")!.get!;
  const past: ((response: Response) => unknown)[] = [
    (response) => prototype.text.call(response),
    (response) => prototype.clone.call(response),
    (response) => body.call(response),
    (response) => body.call(response).cancel(),
    (response) => headers.call(response).set("X-Own", "leaked"),
    (response) => headers.call(response).delete("content-type"),
  ];
  for (const read of past) {
    await warm(app);
    const response = await ask(app, "/");
    assert(inherits(response), String(read));
    await read(response);
    const next = await ask(app, "/");
    assertEquals([next.bodyUsed, [...next.headers], await next.text()], [false, [["content-type", HTML]], text]);
    assertEquals(await throughServer(app, (response) => response), Array(3).fill([200, HTML, null, text]));
  }
});

Deno.test("responses go into Deno's cache, which reads them without their methods", async () => {
  const app = await warmApp();
  const name = `sluice-test-${crypto.randomUUID()}`;
  const cache = await caches.open(name);
  try {
    const seen = await throughServer(app, async (response, request) => {
      await cache.put(request.url, response);
      return (await cache.match(request.url))!;
    });
    assertEquals(seen, Array(3).fill(PLAIN));
    assertEquals(await throughServer(app, (response) => response), Array(3).fill(PLAIN));
  } finally {
    await caches.delete(name);
  }
});

Deno.test("where prototypes are used up all the time, responses are ordinary after a while", async () => {
  const text = "for a program that has the habit";
  const app = await warmApp(text);
  for (let i = 0; i < 2 * OFTEN; i++) assertEquals(await Response.prototype.text.call(await ask(app, "/")), text);
  for (let i = 0; i < OFTEN; i++) assert(!inherits(await ask(app, "/")));
  assertEquals(await throughServer(app, (response) => response), Array(3).fill([200, HTML, null, text]));
});
