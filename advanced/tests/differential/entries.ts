/** Every way to put the limiter in front of requests. */
import express from "express";
import sluice from "@sluice/sluice";
import { fetchLimit, type FetchLimitOptions, rateLimit, type RateLimitOptions } from "@sluice/rate-limit";
import { left, made, reasonOf, type Subject, SUBJECTS } from "../frameworks/subjects.ts";

// deno-lint-ignore no-explicit-any -- one source for two frameworks
type Any = any;

const infoOf = (ip: string | null) => ip === null ? undefined : { remoteAddr: { hostname: ip } };

/** Sluice and Express, which share one API. */
function middleware(
  name: string,
  mayNotKnow: boolean,
  makeApp: () => Any,
  listen: (
    app: Any,
  ) => Promise<
    { ask(path: string, ip: string | null, headers: Record<string, string>): Promise<Response>; close(): Promise<void> }
  >,
): Subject {
  return {
    name,
    mayNotKnow,
    serve: async (options, gate, handle) => {
      const limits = made(options, (one) => rateLimit(one as RateLimitOptions));
      const app = makeApp();
      for (const limit of limits) app.use(limit);
      app.get("/hello", async (req: Any, res: Any) => (await handle?.(req.get("x-id") ?? ""), res.send("hello")));
      app.get("/left", (req: Any, res: Any) => res.json(left(req.quota ?? req.rateLimit)));
      app.get("/raw", (_req: Any, res: Any) => res.send("raw"));
      app.get("/fail", () => {
        throw new Error("failed");
      });
      app.get("/wait", async (_req: Any, res: Any) => (await gate, res.send("waited")));
      app.use((error: unknown, _req: Any, res: Any, _next: unknown) => res.status(500).send(reasonOf(error)));
      const { ask, close } = await listen(app);
      return {
        limiters: limits.map(({ limiter }) => limiter),
        ask: (path, { ip = "192.0.2.1", headers = {} } = {}) => ask(path, ip, headers),
        close,
      };
    },
    header: (req, header) => req.get(header),
    respond: (status, text) => (_req, res, _next, options) => res.status(status).send(`${text} ${options.statusCode}`),
  };
}

const sluiceEntry = middleware("Sluice", true, sluice, (app) =>
  Promise.resolve({
    ask: async (path, ip, headers) => await app.fetch(new Request(`http://name${path}`, { headers }), infoOf(ip)),
    close: () => Promise.resolve(),
  }));

const expressEntry = middleware("Express", false, () => express().set("trust proxy", 1), async (app) => {
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    ask: async (path, ip, headers) => {
      const all = { ...headers, "x-forwarded-for": ip ?? "192.0.2.1" };
      const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { headers: all });
      return new Response(await response.text(), response);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
});

const fetchEntry: Subject = {
  name: "fetchLimit",
  mayNotKnow: true,
  serve: (options, gate, handle) => {
    const limits = made(options, (one) => fetchLimit(one as FetchLimitOptions));
    const respond = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      if (pathname === "/fail") throw new Error("failed");
      if (pathname === "/left") {
        return Response.json(left(limits.at(-1)?.decisionOf(request)));
      }
      if (pathname === "/hello") await handle?.(request.headers.get("x-id") ?? "");
      if (pathname === "/wait") await gate;
      return new Response(pathname === "/wait" ? "waited" : pathname.slice(1));
    };
    const serve = limits.reduceRight<(request: Request, info?: unknown) => Promise<Response>>(
      (behind, limit) => limit(behind),
      respond,
    );
    return Promise.resolve({
      limiters: limits.map(({ limiter }) => limiter),
      ask: async (path, { ip = "192.0.2.1", headers = {} } = {}) => {
        try {
          return await serve(new Request(`http://name${path}`, { headers }), infoOf(ip));
        } catch (error) {
          return new Response(reasonOf(error), { status: 500 });
        }
      },
      close: () => Promise.resolve(),
    });
  },
  header: ({ headers }: Request, name) => headers.get(name) ?? undefined,
  respond: (status, text) => (_request, ...rest) =>
    new Response(`${text} ${(rest[0] as { statusCode: number }).statusCode}`, { status }),
};

/** All entries; the rest are compared with the first. */
export const ENTRIES: readonly Subject[] = [fetchEntry, sluiceEntry, expressEntry, ...SUBJECTS];
