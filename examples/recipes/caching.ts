/** Caches responses in memory, for as long as `Cache-Control` allows a shared cache to (RFC 9111). */
import sluice, { type FrameworkApp, type Handler, type Request as Incoming } from "@sluice/sluice";

interface Entry {
  readonly body: ArrayBuffer;
  readonly headers: Headers;
  /** When it was created, and until when it is fresh, in ms. */
  readonly madeAt: number;
  readonly freshUntil: number;
  /** The request headers it depends on. */
  readonly vary: readonly (readonly [name: string, value: string | undefined])[];
}

interface CacheOptions {
  maxEntries?: number;
  clock?: () => number;
}

/** Wraps handlers that return a `Response`: while it is fresh, all requests share it. */
export function responseCache({ maxEntries = 1000, clock = Date.now }: CacheOptions = {}) {
  // ordered by last use
  const entries = new Map<string, Entry>();

  const found = (key: string, req: Incoming): Entry | undefined => {
    const entry = entries.get(key);
    if (entry === undefined || clock() >= entry.freshUntil) return undefined;
    if (entry.vary.some(([name, value]) => req.get(name) !== value)) return undefined;
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  };

  const keep = (key: string, req: Incoming, { headers }: Response, body: ArrayBuffer, seconds: number): void => {
    const names = headers.get("vary")?.split(",").map((name) => name.trim().toLowerCase()) ?? [];
    const vary = names.map((name) => [name, req.get(name)] as const);
    const now = clock();
    entries.delete(key);
    entries.set(key, { body, headers, madeAt: now, freshUntil: now + seconds * 1000, vary });
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value!);
  };

  return function cached(make: (req: Incoming) => Response | Promise<Response>): Handler {
    return async (req) => {
      if (req.method !== "GET" && req.method !== "HEAD") return await make(req);
      const key = `${req.host} ${req.originalUrl}`;
      const wish = directives(req.get("cache-control"));
      const entry = wish.has("no-cache") || wish.has("no-store") ? undefined : found(key, req);
      if (entry !== undefined) {
        const headers = new Headers(entry.headers);
        headers.set("age", String(Math.floor((clock() - entry.madeAt) / 1000)));
        return new Response(entry.body, { headers });
      }
      if (wish.has("only-if-cached")) return new Response(null, { status: 504 });
      const response = await make(req);
      const seconds = lifetime(req, response);
      if (req.method === "HEAD" || wish.has("no-store") || !(seconds > 0)) return response;
      // buffered, so that a truncated response is never cached
      const body = await response.arrayBuffer();
      keep(key, req, response, body, seconds);
      return new Response(body, response);
    };
  };
}

/** For how many seconds a response may be shared. */
function lifetime(req: Incoming, { status, headers }: Response): number {
  const said = directives(headers.get("cache-control"));
  const isPrivate = ["private", "no-store", "no-cache"].some((name) => said.has(name));
  if (status !== 200 || isPrivate || headers.has("set-cookie") || headers.get("vary")?.includes("*")) return 0;
  if (req.get("authorization") !== undefined && !said.has("public") && !said.has("s-maxage")) return 0;
  return Number(said.get("s-maxage") ?? said.get("max-age") ?? 0) - Number(headers.get("age") ?? 0);
}

function directives(header: string | null | undefined): Map<string, string> {
  const pairs = (header ?? "").toLowerCase().split(",").map((part) => part.trim().split("="));
  return new Map(pairs.map(([name = "", value = ""]) => [name, value.replaceAll('"', "")]));
}

export function makeApp(options?: CacheOptions): FrameworkApp {
  const app = sluice();
  const cached = responseCache(options);
  let made = 0;
  app.get(
    "/report/:name",
    cached((req) => {
      const report = { name: req.params["name"], language: req.get("accept-language") ?? null, made: ++made };
      return Response.json(report, { headers: { "cache-control": "public, max-age=60", "vary": "Accept-Language" } });
    }),
  );
  return app;
}

if (import.meta.main) makeApp().listen(3000);
