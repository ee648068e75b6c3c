import { assertEquals } from "@std/assert";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { ask, quietApp } from "../support/app.ts";
import { virtualTimers } from "../support/virtual_timers.ts";
import { warningsOf } from "../support/warnings.ts";

// deno-lint-ignore no-explicit-any -- what plain JavaScript writes
type Any = any;

/** Longer than the wait for a response. */
const LONG_MS = 1500;

/** Registers handlers by path, sends each path a request, and returns the warnings within this many ms. */
async function warned(handlers: Record<string, readonly Any[]>, app = developed(), ms = LONG_MS): Promise<string[]> {
  for (const [path, fns] of Object.entries(handlers)) app.get(path, ...fns as [Any]);
  return await warnedAgain(Object.keys(handlers), app, ms);
}

async function warnedAgain(paths: readonly string[], app: FrameworkApp, ms = LONG_MS): Promise<string[]> {
  using timers = virtualTimers();
  return await warningsOf(async () => {
    // not awaited: requests without a response never settle
    for (const path of paths) void ask(app, path);
    await timers.advance(ms);
  });
}

class User {
  toJSON = () => ({});
}

class Query {}

function developed(): FrameworkApp {
  return sluice().set("env", "development");
}

Deno.test("a handler that returns its answer instead of sending it is warned of, once, with what to do", async () => {
  const all = {
    "/string": [() => "hello"],
    "/long": [() => "x".repeat(50)],
    "/object": [async () => await Promise.resolve({ a: 1 })],
    "/list": [() => [1, 2]],
    "/model": [() => new User()],
    "/bytes": [() => new Uint8Array(3)],
  };
  const app = developed();
  assertEquals((await warned(all, app)).sort(), [
    'the handler returned "hello", which is not sent, and nothing has responded for a second; call res.send(value), or return new Response(value) (GET /string)',
    `the handler returned "${
      "x".repeat(40)
    }"…, which is not sent, and nothing has responded for a second; call res.send(value), or return new Response(value) (GET /long)`,
    "the handler returned an array, which is not sent, and nothing has responded for a second; call res.json(value), or return Response.json(value) (GET /list)",
    "the handler returned an object (Uint8Array), which is not sent, and nothing has responded for a second; call res.send(value), or return new Response(value) (GET /bytes)",
    "the handler returned an object, which is not sent, and nothing has responded for a second; call res.json(value), or return Response.json(value) (GET /model)",
    "the handler returned an object, which is not sent, and nothing has responded for a second; call res.json(value), or return Response.json(value) (GET /object)",
  ]);
  assertEquals(await warnedAgain(["/string", "/string?again", "/list"], app), []);
});

Deno.test("a factory registered in place of what it makes is warned of, by its name", async () => {
  function cors() {
    return function corsMiddleware(_req: Any, _res: Any, next: Any) {
      next();
    };
  }
  assertEquals(await warned({ "/factory": [cors] }), [
    "a function cors returned a function corsMiddleware, and nothing has responded for a second; if it creates the " +
    "handler, register its return value: cors() (GET /factory)",
  ]);
});

Deno.test("what handlers return by accident is not warned of", async () => {
  const clients: Any[] = [];
  const afterwards = (res: Any, ms: number) => setTimeout(() => res.send("late"), ms);
  assertEquals(
    await warned({
      "/answered": [(_req: Any, res: Any) => (res.send("now"), { a: 1 })],
      "/response": [(_req: Any, res: Any) => res.json({})],
      "/callback": [(_req: Any, res: Any) => (afterwards(res, 500), Promise.resolve([{ row: 1 }]))],
      "/waiting": [(_req: Any, res: Any) => clients.push(res)],
      "/kept": [(_req: Any, res: Any) => ({ res, since: 0 })],
      "/subscribed": [(_req: Any, res: Any) => (clients.push(res), { unsubscribe() {} })],
      "/query": [(_req: Any, res: Any) => (clients.push(res), new Query())],
      "/nothing": [(_req: Any, res: Any) => (clients.push(res), null)],
      "/stream": [(_req: Any, res: Any) => (res.write("begun"), "text")],
      "/throws": [() =>
        Object.defineProperty({}, "a", {
          enumerable: true,
          get() {
            throw new Error("told to nobody");
          },
        })],
    }),
    [],
  );
});

Deno.test("what a handler returns that has called next() is not warned of, however long the next one takes", async () => {
  const later = (_req: Any, res: Any): void => void setTimeout(() => res.send("late"), 5000);
  const passes = (_req: Any, _res: Any, next: Any) => (next(), "returned");
  const passesLate = async (_req: Any, _res: Any, next: Any) => {
    await Promise.resolve();
    next();
    return { returned: true };
  };
  const app = developed();
  app.use("/mounted", sluice.Router().use(passes as Any), later);
  assertEquals(
    await warned({ "/sync": [passes, later], "/async": [passesLate, later], "/mounted/x": [later] }, app, 3000),
    [],
  );
});

Deno.test("nobody is warned of a returned value in production, or in tests", async () => {
  for (const env of ["production", "test"]) {
    assertEquals(await warned({ "/quiet": [() => "hello"] }, quietApp().set("env", env)), []);
  }
});
