import { EventEmitter } from "node:events";
import { assertEquals, assertThrows } from "@std/assert";
import { guardClient } from "../../src/util/guard_client.ts";

/** Runs a function, and returns the errors it logs. */
function logged(run: () => void): string[] {
  const lines: string[] = [];
  const { error } = console;
  console.error = (...values) => void lines.push(values.join(" "));
  try {
    run();
  } finally {
    console.error = error;
  }
  return lines;
}

/** A client that fails like one from `npm:pg` or `npm:redis` after losing its server. */
class Client extends EventEmitter {
  fail(): void {
    this.emit("error", new Error("connection lost"));
  }
}

const LINE =
  "Store: the connection of its client failed; listen to the client's error event for more (connection lost)";

Deno.test("an error of a guarded client is logged instead of thrown, until the guard ends", () => {
  const client = new Client();
  assertThrows(() => client.fail(), Error, "connection lost");
  const unguard = guardClient("Store", client);
  assertEquals(logged(() => client.fail()), [LINE]);
  unguard();
  assertEquals(client.listenerCount("error"), 0);
  assertThrows(() => client.fail(), Error, "connection lost");
});

Deno.test("one line a minute is logged about a client, however often it fails", () => {
  const client = new Client();
  let now = 0;
  guardClient("Store", client, () => now);
  const failing = () => {
    for (let i = 0; i < 100; i++) client.fail();
  };
  assertEquals(logged(failing), [LINE]);
  now = 59_999;
  assertEquals(logged(failing), []);
  now = 60_000;
  assertEquals(logged(failing), [LINE]);
});

Deno.test("the program's own listener is told alone, whenever it is added, and the guard is back when it is removed", () => {
  const told: string[] = [];
  const own = (error: Error) => void told.push(error.message);
  const [before, after] = [new Client().on("error", own), new Client()];
  for (const client of [before, after]) guardClient("Store", client);
  after.on("error", own);
  assertEquals(logged(() => [before, after].forEach((client) => client.fail())), []);
  assertEquals(told, ["connection lost", "connection lost"]);
  before.off("error", own);
  assertEquals(logged(() => before.fail()), [LINE]);
});

Deno.test("a client that many share has one listener, which the last of them removes", () => {
  const client = new Client();
  const all = Array.from({ length: 1000 }, () => guardClient("Store", client));
  assertEquals(client.listenerCount("error"), 1);
  const [first, ...others] = all;
  first!();
  // unguarding twice must not end a different guard
  first!();
  for (const unguard of others.slice(1)) unguard();
  assertEquals(logged(() => client.fail()), [LINE]);
  others[0]!();
  assertEquals(client.listenerCount("error"), 0);
});

Deno.test("copies of the module in other packages share the listener, so that none keeps the other silent", async () => {
  const url = new URL("../../src/util/guard_client.ts", import.meta.url);
  const copy: { guardClient: typeof guardClient } = await import(`${url}?copy`);
  const client = new Client();
  const ends = [guardClient("Store", client), copy.guardClient("Other", client)];
  assertEquals(logged(() => client.fail()), [LINE]);
  for (const unguard of ends) unguard();
  assertEquals(client.listenerCount("error"), 0);
});

Deno.test("clients without events are left alone", () => {
  for (const client of [{}, () => {}, { on() {} }, new EventTarget()]) guardClient("Store", client)();
});
