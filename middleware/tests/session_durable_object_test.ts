import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { Miniflare } from "miniflare";
import { until } from "../../tests/support/until.ts";
import { sessionStoreContract, type Subject } from "./support/session_store_contract.ts";

// the worker returns what the store inside it returns; each request sets its objects' clock
const WORKER = `
import { DurableObjectSessionStore, SessionObject } from "@sluice/middleware/session/durable-object";

let now = null;
export class ClockedObject extends SessionObject {
  constructor(state, env) {
    super(state, env, () => now ?? Date.now());
    this.storage = state.storage;
  }
  async fetch(request) {
    if (request.method === "GET") return Response.json((await this.storage.list()).size);
    return await super.fetch(request);
  }
}

export default {
  async fetch(request, { SESSIONS }) {
    const { time, verb, input } = await request.json();
    now = time;
    if (verb === "size") return await SESSIONS.get(SESSIONS.idFromName(input[0])).fetch("https://object.test/");
    const result = await new DurableObjectSessionStore({ namespace: SESSIONS, prefix: "of-tests:" })[verb](...input);
    return Response.json({ result, globals: [typeof Deno, typeof process] });
  },
};
`;

/** A store inside workerd. */
interface Workerd extends Subject {
  /** Number of values that an object has stored. */
  size(id: string): Promise<number>;
  /** Types for globals that exist only in other runtimes. */
  globals(): unknown;
  /** Uses real time, which alarms need. */
  useRealTime(): void;
}

async function withWorkerd(body: (workerd: Workerd) => Promise<void>): Promise<void> {
  const miniflare = new Miniflare({
    modules: true,
    script: await bundled,
    compatibilityDate: "2026-07-01",
    durableObjects: { SESSIONS: { className: "ClockedObject", useSQLite: true } },
  });
  try {
    // far ahead of the system's clock, which triggers alarms
    let time: number | null = 4_000_000_000_000;
    let globals: unknown;
    const ask = async (verb: string, ...input: unknown[]) => {
      const request = { method: "POST", body: JSON.stringify({ time, verb, input }) };
      const response = await miniflare.dispatchFetch("http://worker.test/", request);
      const text = await response.text();
      assertEquals(response.status, 200, text);
      return JSON.parse(text);
    };
    // deno-lint-ignore no-explicit-any -- what the store returns
    const called = async (verb: string, ...input: unknown[]): Promise<any> => {
      const reply = await ask(verb, ...input);
      globals = reply.globals;
      return reply.result;
    };
    await body({
      store: {
        get: (id) => called("get", id),
        set: (id, content, options) => called("set", id, content, options),
        destroy: (id) => called("destroy", id),
        touch: (id, ttlMs) => called("touch", id, ttlMs),
      },
      pass: (ms) => Promise.resolve(void (time! += ms)),
      size: (id) => ask("size", `of-tests:${id}`),
      globals: () => globals,
      useRealTime: () => time = null,
    });
  } finally {
    await miniflare.dispose();
  }
}

/** Maps the package's imports. */
const CONFIG = fileURLToPath(new URL("../../tests/deno.json", import.meta.url));

async function bundle(): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/worker.js`, WORKER);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--quiet", "--no-lock", "--platform", "browser", "--config", CONFIG],
        ...["-o", `${folder}/bundle.js`, `${folder}/worker.js`],
      ],
      cwd: folder,
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    return await Deno.readTextFile(`${folder}/bundle.js`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const bundled = bundle();

// workerd is a separate process, and miniflare keeps connections to it
const OPTIONS = { sanitizeOps: false, sanitizeResources: false };

sessionStoreContract("DurableObjectSessionStore in workerd", withWorkerd, OPTIONS);

Deno.test("a Worker needs nothing of Node for it, and an object deletes what has expired", OPTIONS, async () => {
  await withWorkerd(async ({ store, size, globals, useRealTime }) => {
    useRealTime();
    await store.set("a", "[1]", { ttlMs: 600_000, isNew: true });
    await store.set("b", "[1]", { ttlMs: 1, isNew: true });
    assertEquals(globals(), ["undefined", "undefined"]);
    await until(async () => await size("b") === 0, "the object's alarm has deleted the session");
    assertEquals([await size("a"), await store.get("a")], [1, "[1]"]);
    await store.destroy("a");
    assertEquals(await size("a"), 0);
  });
});
