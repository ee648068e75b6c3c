/** The application under test, with one mounted in it and one mounted in its router. */
import { Readable } from "node:stream";
import sluice, { type FrameworkApp, Router } from "@sluice/sluice";
import { sse } from "@sluice/middleware/sse";
import { passed } from "../../support/passed.ts";
import type { APPS } from "./life.ts";

// deno-lint-ignore no-explicit-any -- parameters are whatever the paths say
type Any = any;

/** The end of every whole body. */
export const LAST = "the end";

/** Deno keeps the process alive for half of this time if a client disconnects without a Close frame. */
const PING_TIMEOUT_MS = 4000;

/** Errors that a closing may cause: it refuses or cuts a handshake, or cuts a response. */
const EXPECTED = [
  "The server is closing",
  "The client disconnected before its handshake was answered",
  "The server was closed",
];

/** A request as its handler saw it. */
export interface Seen {
  readonly begunAt: number;
  /** When its response or WebSocket ended. */
  endedAt: number | undefined;
  /** When its background work ended, if it has any. */
  workedAt: number | undefined;
}

/** The applications, and what they report. */
export interface Target {
  readonly apps: Readonly<Record<typeof APPS[number], FrameworkApp>>;
  /** Requests by number. */
  readonly seen: ReadonlyMap<string, Seen>;
  /** Reported errors. */
  readonly errors: readonly string[];
}

/** The applications' mounts. */
export const MOUNTS: Readonly<Record<typeof APPS[number], string>> = {
  own: "",
  mounted: "/mounted",
  router: "/router/child",
};

/**
 * Builds the applications.
 *
 * @param life Identifies them: another application may get the port of a closed one
 * @param fault A fault that a test must find: a response that is cut, an event that is repeated, an error that nothing
 * handles
 */
export function buildTarget(life: number, fault: string | undefined): Target {
  const seen = new Map<string, Seen>();
  const errors: string[] = [];
  const make = (): FrameworkApp => withHandlers(sluice().set("env", "test"), life, seen, fault === "cuts");
  const apps = { own: make(), mounted: make(), router: make() };
  apps.own.use(MOUNTS.mounted, apps.mounted).use("/router", Router().use("/child", apps.router));
  apps.own.on("error", (error, { phase }) => {
    const { message, stack } = error as Error;
    // in Node, a client that disconnects within its body violates the protocol
    if (phase !== "connection" && !EXPECTED.includes(message)) errors.push(`${phase}: ${stack}`);
  });
  if (fault === "repeats") apps.own.once("close", () => apps.own.emit("close"));
  if (fault === "rejects") apps.own.on("closing", () => void Promise.reject(new Error("on purpose")));
  return { apps, seen, errors };
}

function withHandlers(app: FrameworkApp, life: number, seen: Map<string, Seen>, isCutting: boolean): FrameworkApp {
  app.use("/visit/:life/:way/:id/:ms", (req: Any, res: Any, next: () => void) => {
    if (Number(req.params.life) !== life) return void res.status(410).end();
    const one: Seen = { begunAt: performance.now(), endedAt: undefined, workedAt: undefined };
    seen.set(req.params.id, one);
    res.on("close", () => one.endedAt = performance.now());
    if (isCutting && req.params.way === "slow") return void res.destroy();
    next();
  });
  app.ws("/visit/:life/socket/:id/:ms", async (req: Any, _res: Any, next: () => void) => {
    await passed(Number(req.params.ms));
    next();
  }, { open: (ws) => ws.send(LAST), pingTimeoutMs: PING_TIMEOUT_MS });
  app.all("/visit/:life/:way/:id/:ms", (req: Any, res: Any) => {
    const { way, id, ms } = req.params;
    return HANDLERS[way]!(req, res, Number(ms), seen.get(id)!);
  });
  return app;
}

const HANDLERS: Readonly<Record<string, (req: Any, res: Any, ms: number, seen: Seen) => unknown>> = {
  now: (_req, res) => void res.send(LAST),
  again: (_req, res) => void res.send(LAST),
  slow: (_req, res, ms) => passed(ms).then(() => void res.send(LAST)),
  returned: (_req, _res, ms) => passed(ms).then(() => new Response(LAST)),
  async written(_req, res, ms) {
    res.write("the beginning, ");
    await passed(ms);
    res.end(LAST);
  },
  piped(_req, res, ms) {
    Readable.from((async function* () {
      yield "the beginning, ";
      await passed(ms);
      yield LAST;
    })()).pipe(res);
  },
  background(req, res, ms, seen) {
    seen.workedAt = Infinity;
    req.waitUntil(passed(ms).then(() => seen.workedAt = performance.now()));
    res.send(LAST);
  },
  async upload(req, res) {
    // a client may disconnect within its body
    const text = await readAll(req);
    if (text !== undefined) res.send(text);
  },
  told(req, res) {
    res.write("the beginning, ");
    // a mounted application is not closed on its own
    const app: FrameworkApp = req.app.parent ?? req.app;
    const end = (): void => void res.end(LAST);
    app.once("closing", end);
    res.on("close", () => app.off("closing", end));
  },
  sse: (req, res) => void sse(req, res).send({ data: LAST }),
  endless: (_req, res) => void res.write("the beginning, "),
  silent: () => {},
};

async function readAll(req: Any): Promise<string | undefined> {
  let text = "";
  try {
    for await (const chunk of req) text += chunk;
    return text;
  } catch {
    return undefined;
  }
}
