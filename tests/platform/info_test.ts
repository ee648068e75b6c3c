import { assertEquals, assertStrictEquals } from "@std/assert";
import sluice from "@sluice/sluice";
import { bunPlatform } from "../../src/platform/bun/bun_platform.ts";
import { cloudflarePlatform } from "../../src/platform/cloudflare/cloudflare_platform.ts";
import { denoPlatform } from "../../src/platform/deno/deno_platform.ts";
import { genericPlatform } from "../../src/platform/shared/generic_platform.ts";

const NAMES = ["remoteAddr", "requestIP", "waitUntil", "ip", "client", "hostname", "port", "then"];

function throwing(): object {
  const get = (): never => {
    throw new Error("a getter that throws");
  };
  return Object.defineProperties({}, Object.fromEntries(NAMES.map((name) => [name, { get }])));
}

/** Values that should never be passed along with a request. */
const ODD: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a text", "info"],
  ["a number", 7],
  ["a symbol", Symbol("info")],
  ["a function", () => {}],
  ["a list", [1, 2]],
  ["an object without a prototype", Object.create(null)],
  ["getters that throw", throwing()],
  ["an address with getters that throw", { remoteAddr: throwing() }],
  ["a Unix socket", { remoteAddr: { transport: "unix", path: "/tmp/socket" } }],
  ["an address of the wrong type", { remoteAddr: { hostname: 127, port: "x" }, ip: 7 }],
  ["null for an address", { remoteAddr: null, ip: null }],
  ["fields of the wrong type", { requestIP: "no", waitUntil: "no", client: "no" }],
  ["a server that knows no address", { requestIP: () => null }],
];

for (const [name, odd] of ODD) {
  Deno.test(`a request passed with ${name} is answered, with an unknown client`, async () => {
    const app = sluice();
    const failures: unknown[] = [];
    app.get("/", (req, res) => {
      req.waitUntil(Promise.resolve());
      res.on("close", () => {});
      res.json([req.ip ?? null, req.socket.remotePort ?? null, req.protocol, typeof req.env, req.info === odd]);
    });
    app.use((error: unknown, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
      failures.push(error);
      next(error);
    });
    for (const args of [[odd], [undefined, odd], [odd, odd]]) {
      const response = await app.fetch(new Request("http://127.0.0.1/"), ...args);
      assertEquals([await response.json(), failures], [[null, null, "http", "object", args[0] === odd], []]);
    }
  });
}

for (const platform of [genericPlatform(), denoPlatform(), bunPlatform(), cloudflarePlatform()]) {
  Deno.test(`${platform.name} takes no address and no context from a value without them`, () => {
    const request = new Request("http://127.0.0.1/");
    for (const [name, odd] of ODD) {
      assertEquals(platform.peerOf(odd, request).address, undefined, name);
      platform.waitUntil(Promise.resolve(), odd, odd);
    }
  });
}

Deno.test("the peer comes from Deno's address, Bun's server or Netlify's context", () => {
  const request = new Request("http://127.0.0.1/");
  const deno = { remoteAddr: { transport: "tcp", hostname: "::ffff:192.0.2.7", port: 1234 } };
  const server = { requestIP: (asked: Request) => asked === request && { address: "::ffff:192.0.2.7", port: 1234 } };
  for (const platform of [genericPlatform(), denoPlatform(), bunPlatform()]) {
    assertEquals(platform.peerOf(deno, request), { address: "192.0.2.7", port: 1234 });
    assertEquals(platform.peerOf({ ip: "2001:db8::7", geo: {} }, request).address, "2001:db8::7");
    assertEquals(platform.peerOf(server, request), { address: "192.0.2.7", port: 1234 });
  }
});

Deno.test("a server like Bun's that is passed with a request provides the client's address on every runtime", async () => {
  const app = sluice();
  app.get("/", (req, res) => res.send(req.ip!));
  const response = await app.handle(new Request("http://x/"), { requestIP: () => ({ address: "192.0.2.7" }) });
  assertEquals(await response.text(), "192.0.2.7");
});

/** A context as platforms make it: its method requires the object as `this`. */
class Context {
  readonly #waited: Promise<unknown>[] = [];
  waitUntil(work: Promise<unknown>): void {
    this.#waited.push(work);
  }
  get settled(): Promise<unknown[]> {
    return Promise.all(this.#waited);
  }
  get length(): number {
    return this.#waited.length;
  }
}

Deno.test("req.executionCtx is the platform's third argument, undefined where there is none", async () => {
  const app = sluice();
  const seen: unknown[] = [];
  app.get("/", (req, res) => {
    seen.push(req.executionCtx);
    res.end();
  });
  const context = { props: { plan: "free" }, passThroughOnException() {} };
  await app.fetch(new Request("http://x/"), {}, context);
  await app.fetch(new Request("http://x/"));
  assertStrictEquals(seen[0], context);
  assertEquals(seen[1], undefined);
});

Deno.test("background work goes to the context, wherever the platform passes it, exactly once", async () => {
  const app = sluice();
  const done: string[] = [];
  app.get("/", (req, res) => {
    req.waitUntil(Promise.resolve().then(() => done.push("done")));
    res.send("answered");
  });
  const ways: [string, (context: Context) => Response | Promise<Response>][] = [
    ["a fetch event, or Vercel's and Netlify's context", (context) => app.fetch(new Request("http://x/"), context)],
    ["Workers' third argument", (context) => app.fetch(new Request("http://x/"), {}, context)],
    [
      "a function of a package",
      (context) =>
        app.fetch(new Request("http://x/"), { waitUntil: (work: Promise<unknown>) => context.waitUntil(work) }),
    ],
    ["both", (context) => app.fetch(new Request("http://x/"), new Context(), context)],
  ];
  for (const [name, ask] of ways) {
    const context = new Context();
    done.length = 0;
    assertEquals(await (await ask(context)).text(), "answered");
    assertEquals(context.length, 1, name);
    await context.settled;
    assertEquals(done, ["done"], name);
  }
});

Deno.test("req.env on Deno tells which variables are set, as process.env does", async () => {
  const app = sluice().get("/", (req, res) => {
    res.json([req.env["PATH"] === Deno.env.get("PATH"), "PATH" in req.env, "SLUICE_NOT_SET" in req.env]);
  });
  const response = await app.fetch(new Request("http://127.0.0.1/"));
  assertEquals(await response.json(), [true, true, false]);
});
