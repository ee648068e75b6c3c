/**
 * Objects that programs and tests make from requests and responses: derived ones, proxies, and objects made from the
 * prototypes alone. All properties are enumerated, so none can be forgotten.
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import type { Any } from "../support/sluice_and_express.ts";
import { ask, quietApp } from "../support/app.ts";

const FILE = fileURLToPath(new URL("../fixtures/files/hello.txt", import.meta.url));

/** Ways to derive one object from another. */
const KINDS: Readonly<Record<string, (object: Any) => Any>> = {
  "derived from it": (object) => Object.create(object),
  "derived from that": (object) => Object.create(Object.create(object)),
  "a proxy of it": (object) => new Proxy(object, {}),
  "a proxy with a trap for reading": (object) => new Proxy(object, { get: (target, name) => target[name] }),
  "a copy with the same prototype": (object) => Object.assign(Object.create(Object.getPrototypeOf(object)), object),
};

/** Arguments for every request method. */
const REQUEST_CALLS: Readonly<Record<string, readonly unknown[]>> = {
  ...{ get: ["host"], header: ["x-a"], accepts: ["json"], acceptsCharsets: ["utf-8"], acceptsEncodings: ["gzip"] },
  ...{ acceptsLanguages: ["en"], is: ["txt"], range: [10], waitUntil: [Promise.resolve()] },
  ...{ json: [], text: [], formData: [], arrayBuffer: [], blob: [], read: [], unshift: ["x"], resume: [], pause: [] },
  ...{ isPaused: [], setEncoding: ["utf8"], pipe: [{ on() {}, once() {}, emit() {}, write() {}, end() {} }] },
  ...{ unpipe: [], setTimeout: [0], destroy: [], iterator: [], toArray: [] },
};

/** Arguments for every response method. */
const RESPONSE_CALLS: Readonly<Record<string, readonly unknown[]>> = {
  ...{ status: [201], sendStatus: [202], send: ["text"], json: [{ a: 1 }], jsonp: [{ a: 1 }], set: ["a", "b"] },
  ...{ header: ["a", "b"], get: ["x-a"], append: ["x-a", "b"], type: ["txt"], contentType: ["txt"], vary: ["a"] },
  ...{ links: [{ next: "/" }], location: ["/"], redirect: ["/x"], format: [{ text() {} }], cookie: ["a", "b"] },
  ...{ clearCookie: ["a"], attachment: ["a.txt"], sendFile: [FILE], download: [FILE], render: ["x"] },
  ...{ respondWith: [new Response("web")] },
  ...{ setHeader: ["a", "b"], appendHeader: ["x-a", "b"] },
  ...{ setHeaders: [new Headers({ a: "b" })], getHeader: ["x-a"], getHeaders: [], getHeaderNames: [] },
  ...{ getRawHeaderNames: [], hasHeader: ["x-a"], removeHeader: ["x-a"], writeHead: [203], flushHeaders: [] },
  ...{
    writeHeader: [203],
    write: ["part"],
    end: ["end"],
    _isLenientHeaderValidation: [],
    _implicitHeader: [],
    setTimeout: [0],
    cork: [],
  },
  ...{ uncork: [], addTrailers: [{}], writeEarlyHints: [{}], writeContinue: [], writeProcessing: [], destroy: [] },
};

const listener = (): void => {};

/** Arguments for every emitter method. */
const EMITTER_CALLS: Readonly<Record<string, readonly unknown[]>> = {
  ...{ on: ["own", listener], addListener: ["own", listener], once: ["own", listener], off: ["own", listener] },
  ...{ prependListener: ["own", listener], prependOnceListener: ["own", listener], emit: ["own"], eventNames: [] },
  ...{ removeListener: ["own", listener], removeAllListeners: ["own"], listenerCount: ["own"], listeners: ["own"] },
  ...{ rawListeners: ["own"], setMaxListeners: [5], getMaxListeners: [] },
};

const SIDES = [
  { side: "req", prototype: sluice.request as object, calls: { ...REQUEST_CALLS, ...EMITTER_CALLS } },
  { side: "res", prototype: sluice.response as object, calls: { ...RESPONSE_CALLS, ...EMITTER_CALLS } },
] as const;

/** Names of all properties, including inherited ones. */
function namesOf(object: object): string[] {
  const names = new Set<string>();
  for (let one = object; one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) if (name !== "constructor") names.add(name);
  }
  return [...names];
}

function methodsOf(prototype: object): string[] {
  return namesOf(prototype).filter((name) => {
    for (let one = prototype; one !== null; one = Object.getPrototypeOf(one)) {
      const property = Object.getOwnPropertyDescriptor(one, name);
      if (property !== undefined) return typeof property.value === "function";
    }
  });
}

/** An application with a route for a GET and for a POST, and the request for it. */
function handling(handler: (req: Any, res: Any) => unknown): [FrameworkApp, RequestInit] {
  const app = quietApp();
  app.all("/:id", handler);
  const headers = { "content-type": "text/plain", "x-a": "1", "cookie": "a=b", range: "bytes=0-1" };
  return [app, { method: "POST", headers, body: "body" }];
}

for (const { side, prototype, calls } of SIDES) {
  for (const [kind, make] of Object.entries(KINDS)) {
    Deno.test(`every property of ${side} is the same on what is ${kind}`, async () => {
      const failures: string[] = [];
      let read = 0;
      const [app, init] = handling((req, res) => {
        const original: Any = { req, res }[side];
        res.locals.a = 1;
        const made = make(original);
        for (const name of namesOf(original)) {
          read++;
          try {
            assertEquals(made[name], original[name], name);
          } catch (error) {
            failures.push(`${name}: ${(error as Error).message}`);
          }
        }
        res.end();
      });
      await ask(app, "/7?a=b", init);
      assertEquals(failures, []);
      assert(read > 50);
    });

    Deno.test(`every method of ${side} does the same on what is ${kind}`, async () => {
      for (const [name, args] of Object.entries(calls)) {
        assertEquals(await outcome(side, name, args, make), await outcome(side, name, args, (same) => same), name);
      }
    });
  }

  Deno.test(`the methods of ${side} that are tested are all that it has`, () => {
    assertEquals(Object.keys(calls).sort(), methodsOf(prototype).sort());
  });

  Deno.test(`every property of what is made from the prototype of ${side} has a value, or says what it needs`, () => {
    for (const name of namesOf(prototype)) {
      try {
        Object.create(prototype)[name];
      } catch (error) {
        assertTells(error, side);
      }
    }
  });

  Deno.test(`every method of what is made from the prototype of ${side} works, or says what it needs`, async () => {
    for (const [name, args] of Object.entries(calls)) {
      try {
        const result = Object.create(prototype)[name](...args);
        if (name === "iterator") await result.next();
        else await result;
      } catch (error) {
        assertTells(error, side);
      }
    }
  });

  for (const kind of ["derived from it", "a copy with the same prototype"]) {
    Deno.test(`what is assigned to what is ${kind} is its own, and ${side} stays as it is`, async () => {
      const [app, init] = handling((req, res) => {
        const original: Any = { req, res }[side];
        const derived = KINDS[kind]!(original);
        for (const name of assignable(prototype)) {
          const before = original[name];
          const value = { headers: { host: "other" } }[name as "headers"] ?? `own ${name}`;
          derived[name] = value;
          assertStrictEquals(derived[name], value, name);
          if (name !== "statusMessage") assertEquals(original[name], before, name);
        }
        res.end();
      });
      assertEquals((await ask(app, "/7?a=b", init)).status, 200);
    });
  }

  Deno.test(`what is assigned to what is made from the prototype of ${side} is there`, () => {
    for (const name of assignable(prototype)) {
      const made = Object.create(prototype);
      made[name] = "assigned";
      assertEquals(made[name], "assigned", name);
    }
  });
}

Deno.test("what is assigned to a proxy belongs to the request, and later layers are matched by it", async () => {
  const app = quietApp();
  app.use((req, _res, next) => {
    const proxy = new Proxy(req, {});
    Object.assign(proxy, { url: "/other?a=1", method: "PUT", headers: { "x-a": "2" } });
    next();
  });
  app.put("/other", (req, res) => res.json([req.url, req.path, req.get("x-a"), req.query]));
  assertEquals(await (await ask(app, "/first")).json(), ["/other?a=1", "/other", "2", { a: "1" }]);
});

Deno.test("a router that gets a derived request leaves the URL of the original alone", async () => {
  const inner = sluice.Router().get(
    "/:id",
    (req, res) => res.json([req.url, req.baseUrl, req.params, req.originalUrl]),
  );
  const router = sluice.Router().use("/in", inner);
  const app = quietApp().get("/*path", (req, res, next) => {
    const derived: Any = Object.create(req);
    derived.url = "/in/7?a=b";
    router(derived, res, next);
    assertEquals([req.url, req.baseUrl, Object.keys(req.params)], ["/outer/x", "", ["path"]]);
  });
  assertEquals(await (await ask(app, "/outer/x")).json(), ["/7?a=b", "/in", { id: "7" }, "/outer/x"]);
});

Deno.test("what a derived response has of its own is called by the methods of the original, and the other way round", async () => {
  const app = quietApp().get("/:way", (req, res) => {
    const derived: Any = Object.create(res);
    if (req.params.way === "own") {
      derived.send = (body: string) => res.status(203).type("txt").send(`own ${body}`);
      return void derived.json({ a: 1 });
    }
    res.end = function (this: Any, chunk: unknown) {
      this.setHeader("x-through", "the original");
      delete (res as Any).end;
      return res.end(chunk as string);
    } as Any;
    derived.json({ a: 1 });
  });
  const own = await ask(app, "/own");
  assertEquals([own.status, await own.text()], [203, 'own {"a":1}']);
  const original = await ask(app, "/original");
  assertEquals([original.headers.get("x-through"), await original.text()], ["the original", '{"a":1}']);
});

/** Names of properties with a setter, except the setter for headers. */
function assignable(prototype: object): string[] {
  return namesOf(prototype).filter((name) => {
    if (name === "_headers") return false;
    for (let one = prototype; one !== null; one = Object.getPrototypeOf(one)) {
      const property = Object.getOwnPropertyDescriptor(one, name);
      if (property !== undefined) return property.set !== undefined;
    }
  });
}

/** Asserts that an error names the property or method and the fix. */
function assertTells(error: unknown, side: string): void {
  const { message } = error as Error;
  assert(
    new RegExp(`^(?:${side}\\.\\w+|.*of ${side}\\)|returning a Response).* needs .*(?:assign|replace)`).test(message),
    message,
  );
}

/** A method call's result or error, and the client's response. */
async function outcome(side: "req" | "res", name: string, args: readonly unknown[], make: (object: Any) => Any) {
  const seen: Record<string, unknown> = {};
  const [app, init] = handling(async (req, res) => {
    const original: Any = { req, res }[side];
    res.setHeader("X-A", "1");
    const made = make(original);
    try {
      const result = await made[name](...args.map((arg) => arg instanceof Response ? arg.clone() : arg));
      seen["returned"] = result === made || result === original ? "itself" : shown(result);
    } catch (error) {
      seen["thrown"] = (error as Error).message;
    }
    seen["state"] = [res.headersSent, res.getHeaders()];
    // as in Express, the object whose method responds determines the status
    if (!["sendFile", "download"].includes(name)) (side === "res" ? made : res).end();
  });
  const response = await ask(app, "/7", init);
  const { status, statusText, headers } = response;
  return { ...seen, status, statusText, headers: [...headers], body: await response.text().catch(String) };
}

function shown(result: unknown): unknown {
  if (typeof result !== "object" || result === null) return result;
  return result.constructor.name === "Object" ? result : Object.prototype.toString.call(result);
}
