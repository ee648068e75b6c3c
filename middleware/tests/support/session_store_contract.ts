import { assertEquals } from "@std/assert";
import type { SessionStore } from "@sluice/middleware/session";
import { CookieClient } from "./cookie_client.ts";
import { sessionApp } from "./session_app.ts";

/** A store, and a way to advance its time. */
export interface Subject {
  /** The empty store. */
  readonly store: SessionStore;
  /** Advances its time by this many ms. */
  pass(ms: number): Promise<void>;
}

const ID = "abcdefghijklmnopqrstuvwxyz-_0123456789ABCDE";
const OTHER = ID.replace("a", "b");
/** In ms; stores with a real clock wait for less than this. */
const TTL_MS = 400;
const LONG_MS = 600_000;

/**
 * The contract for every store, with one test per guarantee.
 *
 * @param name The store's name
 * @param withSubject Calls back with a new store
 * @param options Test options
 */
export function sessionStoreContract(
  name: string,
  withSubject: (body: (subject: Subject) => Promise<void>) => Promise<void>,
  options: Omit<Deno.TestDefinition, "name" | "fn"> = {},
): void {
  const it = (sentence: string, body: (subject: Subject) => Promise<void>): void =>
    Deno.test({ name: `${name}: ${sentence}`, fn: () => withSubject(body), ...options });

  it("what was set is read, and nothing else", async ({ store }) => {
    assertEquals(await store.get(ID) ?? null, null);
    for (const content of ['[1,{"a":"ü😀\\u0000"}]', "[2]", `["${"x".repeat(20_000)}"]`]) {
      assertEquals(await store.set(ID, content, { ttlMs: LONG_MS, isNew: true }), true);
      assertEquals(await store.get(ID), content);
    }
    assertEquals(await store.get(OTHER) ?? null, null);
  });

  it("what is not new is replaced only if it is there", async ({ store }) => {
    assertEquals(await store.set(ID, "[1]", { ttlMs: LONG_MS, isNew: false }), false);
    assertEquals(await store.get(ID) ?? null, null);
    await store.set(ID, "[2]", { ttlMs: LONG_MS, isNew: true });
    assertEquals(await store.set(ID, "[3]", { ttlMs: LONG_MS, isNew: false }), true);
    assertEquals(await store.get(ID), "[3]");
  });

  it("what was destroyed is gone, and cannot be replaced or touched", async ({ store }) => {
    await store.set(ID, "[1]", { ttlMs: LONG_MS, isNew: true });
    await store.set(OTHER, "[2]", { ttlMs: LONG_MS, isNew: true });
    await store.destroy(ID);
    await store.destroy(ID);
    assertEquals(await store.get(ID) ?? null, null);
    assertEquals(await store.set(ID, "[3]", { ttlMs: LONG_MS, isNew: false }), false);
    assertEquals(await store.touch(ID, LONG_MS), false);
    assertEquals(await store.get(ID) ?? null, null);
    assertEquals(await store.get(OTHER), "[2]");
  });

  it("a session is gone after its time, and each write begins it anew", async ({ store, pass }) => {
    await store.set(ID, "[1]", { ttlMs: TTL_MS, isNew: true });
    await store.set(OTHER, "[1]", { ttlMs: TTL_MS, isNew: true });
    await store.set(OTHER, "[2]", { ttlMs: LONG_MS, isNew: false });
    await pass(TTL_MS + 1);
    assertEquals(await store.get(ID) ?? null, null);
    assertEquals(await store.set(ID, "[3]", { ttlMs: LONG_MS, isNew: false }), false);
    assertEquals(await store.touch(ID, LONG_MS), false);
    assertEquals(await store.get(OTHER), "[2]");
  });

  it("touch() prolongs a session, and shortens it", async ({ store, pass }) => {
    await store.set(ID, "[1]", { ttlMs: TTL_MS, isNew: true });
    assertEquals(await store.touch(ID, LONG_MS), true);
    await store.set(OTHER, "[2]", { ttlMs: LONG_MS, isNew: true });
    assertEquals(await store.touch(OTHER, TTL_MS), true);
    await pass(TTL_MS + 1);
    assertEquals(await store.get(ID), "[1]");
    assertEquals(await store.get(OTHER) ?? null, null);
  });

  it("of writes at the same time one wins", async ({ store }) => {
    await store.set(ID, "[0]", { ttlMs: LONG_MS, isNew: true });
    const contents = Array.from({ length: 8 }, (_, i) => `[${i + 1}]`);
    const done = await Promise.all(contents.map((one) => store.set(ID, one, { ttlMs: LONG_MS, isNew: false })));
    assertEquals(done, contents.map(() => true));
    assertEquals(contents.includes(await store.get(ID) as string), true);
  });

  it("a session that was destroyed meanwhile is not written again", async ({ store }) => {
    for (let round = 0; round < 10; round++) {
      await store.set(ID, "[0]", { ttlMs: LONG_MS, isNew: true });
      await Promise.all([
        store.set(ID, "[1]", { ttlMs: LONG_MS, isNew: false }),
        store.touch(ID, LONG_MS),
        store.destroy(ID),
        store.set(ID, "[2]", { ttlMs: LONG_MS, isNew: false }),
        store.touch(ID, LONG_MS),
      ]);
      assertEquals(await store.get(ID) ?? null, null);
    }
  });

  it("sessions of applications last, are renewed, and end", async ({ store }) => {
    const app = sessionApp({ store });
    const client = new CookieClient(app);
    await client.text("/set?key=a&value=1");
    assertEquals(await client.json("/set?key=b&value=2"), { a: "1", b: "2" });
    assertEquals(await client.json("/touch"), { a: "1", b: "2" });
    const old = client.copy();
    assertEquals(await client.json("/regenerate?user=ada"), { user: "ada" });
    assertEquals(await old.json("/read"), {}, "the old id is gone");
    const stolen = client.copy();
    assertEquals(await stolen.json("/read"), { user: "ada" });
    await client.text("/destroy");
    assertEquals(await stolen.json("/read"), {}, "a replayed cookie is nothing");
    assertEquals(await stolen.json("/set?key=a&value=2"), { a: "2" }, "and begins a session of its own");
  });
}
