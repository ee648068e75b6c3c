/** What happens to one application: servers that start, clients that visit, and closings. */
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import { shorter } from "../smallest.ts";

/** Handlers. */
export const WAYS = [
  ...["now", "slow", "returned", "written", "piped", "background", "upload", "again"] as const,
  ...["told", "sse", "endless", "silent", "socket", "socket"] as const,
];

/** The application that has the handler: the one that listens, or one mounted in it or in its router. */
export const APPS = ["own", "mounted", "router"] as const;

/** One request. */
export interface VisitAction {
  readonly does: "visit";
  readonly way: typeof WAYS[number];
  readonly app: typeof APPS[number];
  /** The server: 0 is the newest. */
  readonly server: number;
  /** How long the handler takes, or the middleware before an upgrade, in ms. */
  readonly ms: number;
  /** When the client disconnects, in ms; by default, it stays. */
  readonly leavesMs?: number;
  /** Whether the next action waits until the handler has begun. */
  readonly isAwaited: boolean;
}

/** One call to `app.close`. */
export interface CloseAction {
  readonly does: "close";
  readonly app: typeof APPS[number];
  readonly drainDelayMs?: number;
  readonly timeoutMs?: number;
}

/** One call to `server.close`, or to `server.closeAllConnections`. */
export interface StopAction {
  readonly does: "stop";
  /** The server: 0 is the newest. */
  readonly server: number;
  readonly cuts: boolean;
}

/** One action; without `wait`, the next follows in the same turn. */
export type Action =
  | { readonly does: "listen" }
  | { readonly does: "wait"; readonly ms: number }
  | VisitAction
  | CloseAction
  | StopAction;

/** One application's actions. */
export type Life = readonly Action[];

const TIMES_MS = [0, 1, 5, 20, 50];

/** A delay that the last closing has to end. */
const LONG_MS = 60_000;

/** Random actions, the first of which listens. */
export function randomLife(pick: Pick): Life {
  const actions = Array.from({ length: 3 + pick(10) }, () => randomAction(pick));
  // a server that listens later would make the last closing a separate one
  if (pick(6) === 0) actions.push({ does: "close", app: "own", drainDelayMs: LONG_MS });
  return [{ does: "listen" }, ...actions];
}

function randomAction(pick: Pick): Action {
  const choice = pick(13);
  if (choice < 2) return { does: "listen" };
  if (choice < 4) return { does: "wait", ms: oneOf(pick, TIMES_MS) };
  if (choice < 7) return randomClose(pick);
  if (choice < 8) return { does: "stop", server: pick(3), cuts: pick(2) === 0 };
  return {
    does: "visit",
    way: oneOf(pick, WAYS),
    app: oneOf(pick, APPS),
    server: pick(4) === 0 ? pick(3) : 0,
    ms: oneOf(pick, TIMES_MS),
    ...pick(4) === 0 && { leavesMs: oneOf(pick, TIMES_MS) },
    isAwaited: pick(3) > 0,
  };
}

function randomClose(pick: Pick): CloseAction {
  const drainDelayMs = pick(2) === 0 ? 0 : oneOf(pick, TIMES_MS);
  return {
    does: "close",
    app: pick(5) === 0 ? oneOf(pick, APPS) : "own",
    ...drainDelayMs > 0 && { drainDelayMs },
    ...pick(3) === 0 && { timeoutMs: drainDelayMs + oneOf(pick, TIMES_MS) },
  };
}

/** Simpler forms for a life. */
export function* simplerLife(life: Life): Generator<Life> {
  for (const fewer of shorter(life)) if (fewer.length > 0) yield fewer;
  for (const [i, action] of life.entries()) {
    for (const form of simplerAction(action)) yield life.with(i, form);
  }
}

function* simplerAction(action: Action): Generator<Action> {
  if (action.does === "close") {
    const { drainDelayMs, timeoutMs, ...rest } = action;
    if (timeoutMs !== undefined) yield { ...rest, ...drainDelayMs !== undefined && { drainDelayMs } };
    if (drainDelayMs !== undefined) yield { ...rest, ...timeoutMs !== undefined && { timeoutMs } };
    if (action.app !== "own") yield { ...action, app: "own" };
  }
  if (action.does !== "visit") return;
  const { leavesMs, ...stays } = action;
  if (leavesMs !== undefined) yield stays;
  if (action.way !== "now") yield { ...action, way: "now", ms: 0 };
  if (action.app !== "own") yield { ...action, app: "own" };
  if (action.server !== 0) yield { ...action, server: 0 };
  if (!action.isAwaited) yield { ...action, isAwaited: true };
}
