import { assertEquals } from "@std/assert";
import { type FrameworkApp, type Handler, rateLimit, type RateLimitOptions, Router } from "@sluice/sluice";
import { ask, quietApp } from "../../support/app.ts";
import { warningsOf } from "../../support/warnings.ts";

const PEER = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 } };
let windowMs = 3_600_000;

/** A handler that makes a limiter for every request, with options that no other test uses. */
function perRequest(options: RateLimitOptions = {}): Handler {
  const own = { limit: 2, windowMs: windowMs++, ...options };
  return (req, res, next) => rateLimit(own)(req, res, next);
}

function answering(): FrameworkApp {
  return quietApp().use((_req, res) => res.send("in"));
}

async function admitted(app: FrameworkApp, paths: readonly string[]): Promise<number> {
  let count = 0;
  for (const path of paths) if ((await ask(app, path, undefined, PEER)).status === 200) count++;
  return count;
}

// must stay the first test: a process warns once
Deno.test("limiters made inside requests cause one warning, and none if they have a name", async () => {
  const made = (options: RateLimitOptions) =>
    warningsOf(async () => {
      for (let i = 0; i < 3; i++) {
        const app = quietApp().use(
          (req, res, next) => rateLimit(options)(req, res, next),
          (_req, res) => res.send("in"),
        );
        await admitted(app, ["/", "/"]);
      }
    });
  assertEquals(await made({ limit: 2, name: "named" }), []);
  assertEquals((await made({ limit: 2 })).length, 1);
});

function paths(of: (i: number) => string): string[] {
  return Array.from({ length: 100 }, (_, i) => of(i));
}

const MOUNTS: readonly (readonly [what: string, path: string | RegExp, tried: string[]])[] = [
  ["a parameter", "/users/:id", paths((i) => `/users/${i}`)],
  ["a wildcard", "/files/*rest", paths((i) => `/files${"/a".repeat(i + 1)}`)],
  ["a regular expression", /^\/x\/\w+/, paths((i) => `/x/${i}`)],
  ["a plain prefix", "/e", ["/e", "/E", "/e/", "/%65", "/e?q", "/e/deeper"]],
];

for (const [what, path, tried] of MOUNTS) {
  Deno.test(`a client gets no fresh count from what ${what} matches`, async () => {
    await warningsOf(async () => {
      const router = Router();
      router.use(perRequest(), (_req, res) => res.send("in"));
      assertEquals(await admitted(quietApp().use(path, router), tried), 2, "behind a router");
      const app = quietApp().use(path, perRequest(), (_req, res) => res.send("in"));
      assertEquals(await admitted(app, tried), 2, "on the application");
    });
  });
}

Deno.test("limiters made inside two routes count apart, whatever the parameters are", async () => {
  await warningsOf(async () => {
    const made = perRequest();
    const app = quietApp();
    for (const path of ["/a/:id", "/b/:id"]) app.get(path, made, (_req, res) => res.send("in"));
    assertEquals(await admitted(app, paths((i) => `/a/${i}`)), 2);
    assertEquals(await admitted(app, paths((i) => `/b/${i}`)), 2);
  });
});

Deno.test("limiters with the same name and window share a count across routes, and others count apart", async () => {
  await warningsOf(async () => {
    const app = quietApp();
    const [one, other] = [
      perRequest({ windowMs: 7_000_001, name: "one" }),
      perRequest({ windowMs: 7_000_001, name: "other" }),
    ];
    app.get("/a", one, (_req, res) => res.send("in"));
    app.get("/b", one, (_req, res) => res.send("in"));
    app.get("/c", other, (_req, res) => res.send("in"));
    assertEquals(await admitted(app, ["/a", "/b", "/a", "/b"]), 2);
    assertEquals(await admitted(app, ["/c", "/c", "/c"]), 2);
  });
});

Deno.test("a limiter made before any request never shares a count with one made inside a request", async () => {
  await warningsOf(async () => {
    const options = { limit: 2, windowMs: 7_000_002 };
    const app = quietApp().use("/outside", rateLimit(options)).use("/inside", perRequest(options));
    app.use(answering());
    assertEquals(await admitted(app, ["/outside", "/outside", "/outside"]), 2);
    assertEquals(await admitted(app, ["/inside", "/inside", "/inside"]), 2);
  });
});

Deno.test("concurrent requests share the count of a limiter made inside them", async () => {
  await warningsOf(async () => {
    const app = quietApp().use(perRequest({ limit: 5, keyGenerator: () => Promise.resolve("k") }));
    app.use((_req, res) => res.send("in"));
    const all = await Promise.all(paths(() => "/").map((path) => ask(app, path, undefined, PEER)));
    assertEquals(all.filter(({ status }) => status === 200).length, 5);
  });
});

// must stay the last test: it uses up all slots
Deno.test("limiters made inside requests whose options differ each time are an error once a thousand count", async () => {
  await warningsOf(async () => {
    let ms = 9_000_000;
    const app = quietApp().use((req, res, next) => rateLimit({ windowMs: ms++, name: "differs" })(req, res, next));
    app.use((_req, res) => res.send("in"));
    const responses = [];
    for (let i = 0; i < 1001; i++) responses.push(await ask(app, "/", undefined, PEER));
    assertEquals(responses.slice(0, 900).every(({ status }) => status === 200), true);
    const told = await responses.at(-1)!.text();
    assertEquals(told.includes("more than 1000 different limiters were made inside requests"), true, told);
  });
});
