import { MemorySessionStore, session, type SessionOptions, type SessionStore } from "@sluice/middleware/session";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { virtualTimers } from "../../tests/support/virtual_timers.ts";
import { CookieClient } from "./support/cookie_client.ts";
import { sessionApp } from "./support/session_app.ts";

const METHODS = ["get", "set", "destroy", "touch"] as const;

/** A store that fails, or does not reply, as long as the test wants. */
class TroubledStore implements SessionStore {
  state: "well" | "failing" | "frozen" = "well";
  readonly calls: string[] = [];
  readonly #store = new MemorySessionStore();
  readonly get = this.#troubled("get");
  readonly set = this.#troubled("set");
  readonly destroy = this.#troubled("destroy");
  readonly touch = this.#troubled("touch");

  #troubled<Name extends (typeof METHODS)[number]>(name: Name): SessionStore[Name] {
    return ((...args: never[]) => {
      this.calls.push(name);
      if (this.state === "failing") return Promise.reject(new Error("the store is away"));
      if (this.state === "frozen") return new Promise(() => {});
      return Reflect.apply(this.#store[name], this.#store, args);
    }) as SessionStore[Name];
  }
}

/** An application, a logged-in client, and the reported errors. */
async function loggedIn(options: Partial<SessionOptions>) {
  const store = new TroubledStore();
  const app = sessionApp({ store, ...options });
  const errors: string[] = [];
  app.on("error", (error) => void errors.push((error as Error).message));
  const client = new CookieClient(app);
  await client.text("/set?key=user&value=ada");
  store.calls.length = 0;
  return { app, store, client, errors };
}

Deno.test("requests that when() leaves out have no session, and a frozen store does not hold them", async () => {
  const { app, store, client } = await loggedIn({ when: (req) => req.path !== "/untouched" && req.path !== "/bare" });
  app.get("/bare", (req, res) => res.json(["session" in req, "flash" in req]));
  store.state = "frozen";
  assertEquals(await client.json("/untouched"), {});
  assertEquals(await client.json("/bare"), [false, false]);
  assertEquals(store.calls, []);
  store.state = "well";
  assertEquals(await client.json("/read"), { user: "ada" });
});

Deno.test("without a cookie a frozen store holds no request that puts nothing into its session", async () => {
  const { app, store } = await loggedIn({});
  store.state = "frozen";
  assertEquals(await new CookieClient(app).json("/read"), {});
  assertEquals(store.calls, []);
});

Deno.test("a call of a frozen store fails after timeoutMs with a 503, each of its methods, and leaves no timer", async () => {
  for (
    const [path, method] of [["/read", "get"], ["/set?key=a&value=1", "set"], ["/destroy", "destroy"], [
      "/touch",
      "touch",
    ]]
  ) {
    const { store, client } = await loggedIn({ timeoutMs: 1000 });
    using timers = virtualTimers();
    const { get } = store;
    // only the call that the path names
    store.state = "frozen";
    if (method !== "get") {
      Object.assign(store, {
        get: (id: string) => (store.state = "well", get(id).finally(() => store.state = "frozen")),
      });
    }
    let status = 0;
    const asked = client.ask(path!).then((response) => void (status = response.status));
    await timers.advance(999);
    assertEquals([status, store.calls.at(-1)], [0, method]);
    await timers.advance(1);
    await asked;
    assertEquals([path, status, timers.pending], [path, 503, 0]);
  }
});

Deno.test("a store that replies in time leaves no timer", async () => {
  const { client } = await loggedIn({ timeoutMs: 1000 });
  using timers = virtualTimers();
  assertEquals(await client.json("/read"), { user: "ada" });
  assertEquals(timers.pending, 0);
});

const FAILING: Record<string, Partial<SessionOptions>> = {
  "by default": {},
  'with onStoreError "fail"': { onStoreError: "fail" },
  "with a function that decides so": { onStoreError: () => "fail" },
};

for (const [name, options] of Object.entries(FAILING)) {
  Deno.test(`a session that cannot be read is an error ${name}`, async () => {
    const { store, client, errors } = await loggedIn(options);
    store.state = "failing";
    assertEquals((await client.ask("/untouched")).status, 500);
    assertEquals(errors, ["the store is away"]);
    store.state = "well";
    assertEquals(await client.json("/read"), { user: "ada" });
  });
}

for (const rolling of [false, true]) {
  Deno.test(`an empty session in place of one that cannot be read can be read only, rolling: ${rolling}`, async () => {
    const { store, client, errors } = await loggedIn({ onStoreError: "empty", rolling });
    for (const path of ["/untouched", "/read", "/id"]) {
      store.state = "failing";
      const response = await client.ask(path);
      assertEquals([path, response.status, client.setCookies], [path, 200, []]);
      assertEquals(await response.json(), path === "/id" ? "" : {});
      assertEquals(errors.splice(0), ["the store is away"]);
    }
  });
}

Deno.test("to change or to end such an empty session fails, though the store is back, and begins no other", async () => {
  for (const path of ["/set?key=user&value=eve", "/touch", "/null", "/destroy", "/regenerate?user=eve"]) {
    const { store, client, errors } = await loggedIn({ onStoreError: "empty" });
    const thief = client.copy();
    store.state = "failing";
    const { get } = store;
    Object.assign(store, { get: (id: string) => get(id).finally(() => store.state = "well") });
    const response = await client.ask(path);
    await response.body?.cancel();
    Object.assign(store, { get });
    assertEquals([path, response.status], [path, 500]);
    assertEquals(errors, ["the store is away"], "the same error is reported once");
    // as when destroy fails in the store: at least the client's own copy is deleted
    const isLeft = path === "/destroy" || path.startsWith("/regenerate");
    assertEquals([path, await client.json("/read")], [path, isLeft ? {} : { user: "ada" }]);
    assertEquals(await thief.json("/read"), { user: "ada" });
  }
});

Deno.test("a function decides with the error and the request, and reports by itself", async () => {
  const told: string[] = [];
  const { store, client, errors } = await loggedIn({
    onStoreError(error, req) {
      told.push(`${(error as Error).message} ${req.path}`);
      return req.path === "/read" ? "empty" : "fail";
    },
  });
  store.state = "failing";
  assertEquals(await client.json("/read"), {});
  assertEquals(errors, []);
  assertEquals((await client.ask("/id")).status, 500);
  assertEquals(told, ["the store is away /read", "the store is away /id"]);
});

Deno.test("wrong values are refused, and so are options of a store without one", () => {
  const store = new MemorySessionStore();
  assertThrows(() => session({ store, when: "/" as never }), TypeError, "option when must be a function");
  assertThrows(() => session({ store, timeoutMs: 0 }), RangeError, "option timeoutMs must be an integer from 1");
  assertThrows(() => session({ store, timeoutMs: Infinity }), RangeError, "option timeoutMs");
  for (const onStoreError of ["open", null, true]) {
    const { message } = assertThrows(() => session({ store, onStoreError: onStoreError as never }), TypeError);
    assertStringIncludes(message, 'option onStoreError must be "fail", "empty" or a function');
  }
  const secret = "of at least 32 characters, from the environment";
  for (const option of [{ timeoutMs: 1 }, { onStoreError: "empty" }] as const) {
    assertThrows(() => session({ secret, ...option }), TypeError, "need option store");
  }
});
