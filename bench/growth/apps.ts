/** Applications that grow, each written with its framework's API. */
import type { FetchHandler } from "../servers/handlers.ts";

/** An application under construction. */
export interface Growing {
  /** Adds a GET route that responds with `ok`. */
  get(path: string): void;
  /** Adds a middleware below a path that only calls `next`; `null` if middleware belongs to routes. */
  readonly use: ((path: string) => void) | null;
  /** Adds a route inside nested routers, each mounted at `/a`; `null` if the framework has no nested routers. */
  readonly nest: ((depth: number) => void) | null;
  /** Creates a request for a path. It is reused, so that creating it does not count as routing time. */
  request(path: string): unknown;
  /** Handles a request, in process. */
  answer(request: unknown): unknown;
}

/** The contestants. */
export const GROWING: ReadonlyMap<string, string> = new Map([
  ["sluice", "Sluice"],
  ["hono", "Hono"],
  ["hono-trie", "Hono, `TrieRouter`"],
  ["h3", "h3"],
  ["elysia", "Elysia"],
  ["express", "Express's router"],
]);

/** Methods shared by applications with a `fetch` handler. */
function asking(fetch: FetchHandler): Pick<Growing, "request" | "answer"> {
  return {
    request: (path) => new Request(`http://localhost:8000${path}`),
    answer: fetch as (request: unknown) => unknown,
  };
}

/**
 * Creates an application without routes.
 *
 * @param contestant The contestant's name
 * @throws {Error} If there is no contestant with that name
 */
export async function growing(contestant: string): Promise<Growing> {
  switch (contestant) {
    case "sluice":
      return await growingSluice();
    case "hono":
    case "hono-trie":
      return await growingHono(contestant === "hono-trie");
    case "h3":
      return await growingH3();
    case "elysia":
      return await growingElysia();
    case "express":
      return await growingExpress();
    default:
      throw new Error(`there is no contestant "${contestant}"`);
  }
}

async function growingSluice(): Promise<Growing> {
  const { default: sluice, Router } = await import("@sluice/sluice");
  const app = sluice().set("etag", false).set("env", "production");
  return {
    get: (path) => void app.get(path, (_req, res) => res.send("ok")),
    use: (path) => void app.use(path, (_req, _res, next) => next()),
    nest(depth) {
      let inner = new Router();
      inner.get("/end", (_req, res) => res.send("ok"));
      for (let i = 1; i < depth; i++) {
        const outer = new Router();
        outer.use("/a", inner);
        inner = outer;
      }
      app.use("/a", inner);
    },
    ...asking(app.fetch),
  };
}

async function growingHono(trie: boolean): Promise<Growing> {
  const { Hono } = await import("hono");
  const { TrieRouter } = await import("hono/router/trie-router");
  const make = () => trie ? new Hono({ router: new TrieRouter() }) : new Hono();
  const app = make();
  return {
    get: (path) => void app.get(path, (c) => c.text("ok")),
    use: (path) => void app.use(`${path}/*`, (_c, next) => next()),
    nest(depth) {
      let inner = make();
      inner.get("/end", (c) => c.text("ok"));
      for (let i = 1; i < depth; i++) inner = make().route("/a", inner) as typeof inner;
      app.route("/a", inner);
    },
    ...asking(app.fetch),
  };
}

async function growingH3(): Promise<Growing> {
  const { H3 } = await import("h3");
  const app = new H3();
  return {
    get: (path) => void app.get(path, () => "ok"),
    use: (path) => void app.use(`${path}/**`, (_event, next) => next()),
    nest(depth) {
      let inner = new H3().get("/end", () => "ok");
      for (let i = 1; i < depth; i++) inner = new H3().mount("/a", inner) as typeof inner;
      app.mount("/a", inner);
    },
    ...asking(app.fetch),
  };
}

async function growingElysia(): Promise<Growing> {
  const { Elysia } = await import("elysia");
  const app = new Elysia();
  return {
    get: (path) => void app.get(path, () => "ok"),
    use: null,
    nest: null,
    ...asking((request) => app.fetch(request)),
  };
}

/** Express runs without a server, on a minimal request. */
async function growingExpress(): Promise<Growing> {
  const { default: express } = await import("express");
  const router = express.Router();
  const send = (_req: unknown, res: unknown) => void ((res as { body: string }).body = "ok");
  const unanswered = (error: unknown) => {
    throw error ?? new Error("nobody answered");
  };
  return {
    get: (path) => void router.get(path, send),
    use: (path) => void router.use(path, (_req: unknown, _res: unknown, next: () => void) => next()),
    nest(depth) {
      let inner = express.Router();
      inner.get("/end", send);
      for (let i = 1; i < depth; i++) inner = express.Router().use("/a", inner);
      router.use("/a", inner);
    },
    request: (url) => url,
    // mounting modifies the request, so it can be used only once
    answer(url) {
      const res = { body: "" };
      router({ method: "GET", url, headers: {} } as never, res as never, unanswered);
      return res;
    },
  };
}
