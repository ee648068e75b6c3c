/** The target: every way is a route, behind middleware that enters an asynchronous context for the request. */
import { AsyncLocalStorage } from "node:async_hooks";
import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { context as requestContext, currentRequest } from "@sluice/middleware/context";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import type { See, Way } from "./way.ts";

/** Ways to enter a context. */
export const ENTRIES = ["run", "enterWith", "run, later", "context.with", "context()"] as const;

/** A way to enter a context. */
export type Entry = typeof ENTRIES[number];

/** A callback's observation: its label, and the id in its context, or `null` if there is none. */
export type Sight = readonly [label: string, id: string | null];

/** Observations by one request's callbacks. */
export interface Sights {
  /** Callbacks that ran, in order. */
  readonly seen: readonly Sight[];
  /** Labels for callbacks that did not run. */
  readonly missing: readonly string[];
}

/** How long to wait for missing callbacks, in ms. */
const MISSING_MS = 3000;

/** Time to wait once a request was cut off, in ms. Many of its callbacks never run. */
const CUT_OFF_MS = 20;

/** A request's state. */
interface Noted {
  readonly seen: Sight[];
  /** Labels for callbacks that must run. */
  readonly awaited: string[];
  /** Whether it was cut off and has not ended. */
  isOpen: boolean;
  isCutOff: boolean;
}

/** Records what callbacks see, by request. */
class Notes {
  readonly #requests = new Map<string, Noted>();
  readonly #waiting = new Set<() => void>();

  see(id: string, label: string, present: () => string | null): () => void {
    const { seen, awaited, isCutOff } = this.#of(id);
    if (!isCutOff) awaited.push(label);
    let has = false;
    return () => {
      seen.push([label, present()]);
      if (has || isCutOff) return;
      has = true;
      awaited.splice(awaited.indexOf(label), 1);
      this.#changed();
    };
  }

  /** Waits until a request that is cut off ends, instead of for its callbacks. */
  cutOff(id: string, res: Any): void {
    const request = this.#of(id);
    request.isCutOff = request.isOpen = true;
    res.on("close", () =>
      setTimeout(() => {
        request.isOpen = false;
        this.#changed();
      }, CUT_OFF_MS));
  }

  /** Waits until all callbacks of some requests have run, or time is up. */
  async settled(ids: readonly string[]): Promise<Sights[]> {
    await new Promise<void>((resolve) => {
      const isOver = () => ids.every((id) => !this.#of(id).isOpen && this.#of(id).awaited.length === 0);
      const look = () => {
        if (isOver()) end();
      };
      const end = () => {
        clearTimeout(late);
        this.#waiting.delete(look);
        resolve();
      };
      const late = setTimeout(end, MISSING_MS);
      this.#waiting.add(look);
      look();
    });
    return ids.map((id) => {
      const { seen, awaited } = this.#of(id);
      this.#requests.delete(id);
      return { seen, missing: awaited };
    });
  }

  #changed(): void {
    this.#waiting.forEach((look) => look());
  }

  #of(id: string): Noted {
    let request = this.#requests.get(id);
    if (request === undefined) {
      this.#requests.set(id, request = { seen: [], awaited: [], isOpen: false, isCutOff: false });
    }
    return request;
  }
}

/**
 * Builds the application.
 *
 * @param lib Sluice or Express
 * @param ways Its ways, each mounted at its index
 * @param fault Name of a fault that a test must find
 */
export function buildTarget(lib: Any, ways: readonly Way[], fault?: string): Any {
  const storage = new AsyncLocalStorage<{ id: string }>();
  const ID = createContextKey("id");
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const stored = (): string | null => storage.getStore()?.id ?? null;
  const active = (): string | null => (context.active().getValue(ID) as string | undefined) ?? null;
  const current = (): string | null => (currentRequest()?.headers["x-id"] as string | undefined) ?? null;
  const ours = requestContext();
  const PRESENT: Readonly<Partial<Record<Entry, () => string | null>>> = {
    "context.with": active,
    "context()": current,
  };
  const notes = new Notes();
  const see: See = ({ headers }, label) =>
    notes.see(headers["x-id"], label, PRESENT[headers["x-enter"] as Entry] ?? stored);

  const app = lib();
  // as in Express, other environments log errors that handlers throw
  app.set("env", "test");
  app.get("/control/seen", async (req: Any, res: Any) => res.json(await notes.settled(req.query.ids.split(","))));
  // the context that a request leaves behind on its connection
  app.post("/control/present", (req: Any, res: Any) => {
    notes.see(req.headers["x-before"], "another request of the connection", () => stored() ?? active() ?? current())();
    res.json({});
  });
  app.use((req: Any, res: Any, next: Any) => {
    const id = req.headers["x-id"];
    if (req.headers["x-cut-off"] !== undefined) notes.cutOff(id, res);
    const enter: Readonly<Record<Entry, () => void>> = {
      run: () => storage.run({ id }, next),
      enterWith() {
        storage.enterWith({ id });
        next();
      },
      "run, later": () => void setTimeout(() => storage.run({ id }, next), 1),
      "context.with": () => context.with(ROOT_CONTEXT.setValue(ID, id), next),
      "context()": () => void ours(req, res, next),
    };
    enter[req.headers["x-enter"] as Entry]();
  });
  if (fault !== undefined) app.use(PLANTED[fault]!());
  for (const [index, way] of ways.entries()) {
    const router = lib.Router();
    way.set(router, lib, see);
    app.use(`/${index}`, router);
  }
  app.use((error: Any, req: Any, res: Any, next: Any) => {
    see(req, "error handler")();
    if (req.isUnhandled || res.headersSent) return next(error);
    res.status(error.status ?? 500).json({});
  });
  return app;
}

/** Middleware with faults that the fuzzer must find: it continues without a context, or in a different request's. */
const PLANTED: Readonly<Record<string, () => (...args: Any[]) => void>> = {
  lost() {
    const inNone = AsyncLocalStorage.snapshot();
    return (req, _res, next) => req.headers["content-encoding"] === "gzip" ? inNone(next) : next();
  },
  foreign() {
    let waiting: (() => void) | undefined;
    return (_req, _res, next) => {
      const other = waiting;
      waiting = other === undefined ? next : undefined;
      if (other === undefined) {
        setTimeout(() => {
          if (waiting !== next) return;
          waiting = undefined;
          next();
        }, 5);
      } else {
        other();
        next();
      }
    };
  },
};
