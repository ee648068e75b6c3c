import { reasonOf } from "./error_text.ts";

/** The part used here of an event-emitting client, such as one from `npm:redis`, `npm:ioredis` or `npm:pg`. */
interface EmittingClient {
  on(event: "error", listener: (error: unknown) => void): unknown;
  off(event: "error", listener: (error: unknown) => void): unknown;
  listenerCount(event: "error"): number;
}

/** A client's listener, and how many users share it. */
interface Guard {
  readonly listener: (error: unknown) => void;
  users: number;
}

const GUARDS: unique symbol = /* @__PURE__ */ Symbol.for("sluice.guarded-clients");

/** Minimum ms between two log lines about a client: some fail on every connection attempt, a pool per connection. */
const QUIET_MS = 60_000;

/** The guarded clients in this process; packages have copies of this module, and a client needs only one listener. */
function guards(): WeakMap<object, Guard> {
  return (globalThis as { [GUARDS]?: WeakMap<object, Guard> })[GUARDS] ??= new WeakMap();
}

/**
 * Listens to a client's `error` event: without a listener, a lost connection crashes the process. The errors are
 * logged, at most one per minute, unless the program listens itself.
 *
 * A client has one such listener, no matter how many users share it.
 *
 * @param name Name of the client's user, for the log
 * @param client The client; one that emits no events needs no listener
 * @param clock The current time in ms
 * @returns A function that ends the guard; the last call removes the listener
 */
export function guardClient(name: string, client: object, clock: () => number = Date.now): () => void {
  if (!isEmitting(client)) return () => {};
  let guard = guards().get(client);
  if (guard === undefined) {
    guard = { listener: loggerOf(name, client, clock), users: 0 };
    guards().set(client, guard);
    client.on("error", guard.listener);
  }
  guard.users++;
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--guard.users > 0) return;
    guards().delete(client);
    client.off("error", guard.listener);
  };
}

function loggerOf(name: string, client: EmittingClient, clock: () => number): (error: unknown) => void {
  let quietUntil = -Infinity;
  return (error) => {
    if (client.listenerCount("error") > 1 || clock() < quietUntil) return;
    quietUntil = clock() + QUIET_MS;
    console.error(
      `${name}: the connection of its client failed; listen to the client's error event for more (${reasonOf(error)})`,
    );
  };
}

function isEmitting(client: object): client is EmittingClient {
  return (["on", "off", "listenerCount"] as const).every((method) =>
    typeof (client as Partial<EmittingClient>)[method] === "function"
  );
}
