/** Middleware typed, like npm's, for Express and Node requests, checked by the compiler. */
import { assertEquals } from "@std/assert";
import type { ValidationChain } from "express-validator";
import type { RequestHandler as ProxyHandler } from "http-proxy-middleware";
import type { IncomingMessage, ServerResponse } from "node:http";
import sluice, { type FrameworkRequest, type FrameworkResponse, type Handler, type Next, Router } from "@sluice/sluice";
import type { PathHandler } from "@sluice/sluice/types";
import { type Equal, expectType } from "./support/expect_type.ts";

/** The part of `@types/express` that makes its handlers a different type from Sluice's. */
interface ExpressRequest<Params = Record<string, string | string[]>> extends IncomingMessage {
  params: Params;
  app: { listen(port: number): unknown };
}

interface ExpressResponse extends ServerResponse {
  locals: Record<string, unknown>;
  send(body: unknown): this;
}

interface ExpressHandler<Params = Record<string, string | string[]>> {
  (req: ExpressRequest<Params>, res: ExpressResponse, next: (error?: unknown) => void): unknown;
}

const ofExpress: ExpressHandler = (_req, _res, next) => next();
const ofExpressById: ExpressHandler<{ id: string }> = (_req, _res, next) => next();
const ofNode = (_req: IncomingMessage, _res: ServerResponse, next: () => void) => next();
const proxy = ofNode as unknown as ProxyHandler;
const failing = (_error: Error, _req: ExpressRequest, _res: ExpressResponse, _next: Next) => {};
const guard: Handler = (_req, _res, next) => next();

Deno.test("middleware typed for Express or Node is accepted wherever handlers are", () => {
  const app = sluice();
  const router = Router();
  app.use(ofExpress).use(ofExpress, ofNode, guard, proxy).use("/x/:id", ofExpress, ofExpressById, guard);
  app.use([ofExpress, [ofNode]]).use("/x", ofNode, failing).use(failing);
  router.use(ofExpress, ofNode, guard).use("/x/:id", proxy).use(failing, [failing]);
  app.get("/a", ofExpress).get("/a", ofExpress, failing).post("/a/:id", ofExpressById, [ofNode, guard]).all(
    "/a",
    proxy,
  );
  router.get("/a", ofExpress).post("/a", [ofExpress], failing).all("/a", ofNode);
  app.route("/b/:id").all(ofExpress).get(ofExpressById, failing).post([ofNode]);
  app.group("/c", { middleware: ofExpress }, (group) => group.get("/", ofNode));
  app.group("/d", { middleware: [ofExpress, guard, (_req, _res, next) => next()] }, (group) => group.get("/", ofNode));
  app.ws("/e/:id", ofExpress, (req, _res, next) => next(req.params.id), { open() {} });
  assertEquals([app.routes.length, router.routes.length, app.wsRoutes.length], [7, 3, 1]);
});

Deno.test("PathHandler is the type for handlers of npm's packages and Sluice's alike", () => {
  const held: PathHandler = ofExpress;
  const list: PathHandler[] = [ofNode, guard, held, proxy, (_req, _res, next) => next()];
  const app = sluice();
  app.use(held, ...list).use(list).use("/x/:id", held, ...list);
  app.get("/a/:id", held, ...list, (req) => expectType<Equal<typeof req.params, { id: string }>>());
  app.route("/b").all(held, list);
  Router().use(list).get("/c/:id", list, held);
  assertEquals(app.routes.length, 2);
});

Deno.test("it does not change the types of inline handlers beside it", () => {
  const app = sluice<{ user: string }>();
  app.post("/users/:id", ofExpress, (req, res) => {
    expectType<Equal<typeof req.params, { id: string }>>();
    expectType<Equal<typeof res.locals.user, string>>();
    // @ts-expect-error -- there is no such parameter
    res.send(req.params.name);
  });
  app.get("/files/*path", guard, ofNode, (req, _res, next) => next(req.params.path.length), ofExpress, (req, res) => {
    expectType<Equal<typeof req.params.path, string[]>>();
    expectType<Equal<typeof res.locals.user, string>>();
  });
  app.use("/users/:id", proxy, (req, _res, next) => next(req.params.id.trim()));
  app.route("/users/:id").all(ofExpress, (req) => expectType<Equal<typeof req.params.id, string>>());
  app.group("/t/:tenant", (group) => {
    group.get("/:id", ofNode, (req, res) => res.send(req.params.tenant + req.params.id));
  });
  assertEquals(app.routes.length, 3);
});

Deno.test("a handler after the chains of express-validator has typed parameters", () => {
  const chain = ofNode as unknown as ValidationChain;
  const app = sluice();
  app.post("/users/:id", chain, chain, (req, res) => {
    expectType<Equal<typeof req.params, { id: string }>>();
    res.json(req.body);
  });
  app.put("/users/:id", ...[chain], chain, (req, res) => res.send(req.params.id.trim()));
  Router().route("/users/:id").patch(chain, (req, res) => res.send(req.params.id.trim()));
  assertEquals(app.routes.length, 2);
});

Deno.test("a value that is no handler, or a handler for other parameters, is refused beside it too", () => {
  const other = (_req: FrameworkRequest<{ name: string }>, _res: FrameworkResponse) => {};
  const ofTheWeb = (_req: Request, _info: FrameworkResponse) => {};
  const ofText = (_path: string, _method: string) => {};
  const app = sluice();
  // @ts-expect-error -- the path has no name
  app.get("/users/:id", ofExpress, other);
  // @ts-expect-error -- the path has no name
  app.route("/users/:id").all(ofExpress, other);
  // @ts-expect-error -- a web Request is not an Express-style request; app.mount takes such handlers
  app.put("/users/:id", ofTheWeb);
  // @ts-expect-error -- a string is not a request
  app.use("/users/:id", ofText, ofExpress);
  // @ts-expect-error -- a number is not a handler
  const refused = () => app.post("/", ofExpress, 5);
  assertEquals([app.routes.length, typeof refused], [3, "function"]);
});

Deno.test("a verify function may be typed with Node's request, Node's response and a Buffer", async () => {
  interface RawRequest extends IncomingMessage {
    rawBody?: Buffer;
  }
  const kept: Buffer[] = [];
  const byNode = (req: RawRequest, _res: ServerResponse, bytes: Buffer, _encoding: string) => {
    req.rawBody = bytes;
  };
  const app = sluice();
  app.post("/node", sluice.json({ verify: byNode }), (req, res) => {
    res.json(Buffer.isBuffer((req as unknown as RawRequest).rawBody));
  });
  app.post("/here", sluice.raw({ type: "*/*", verify: (req, res, bytes) => kept.push(bytes) && req.res === res }));
  // @ts-expect-error -- its argument is not a file name
  const refused = () => sluice.text({ verify: (_path: string) => {} });
  const post = { method: "POST", body: "[1]", headers: { "content-type": "application/json" } };
  assertEquals(await (await app.handle(new Request("http://x/node", post))).json(), true);
  await app.handle(new Request("http://x/here", post));
  assertEquals([kept[0]!.toString("hex"), typeof refused], ["5b315d", "function"]);
});

Deno.test("the types of the WebSocket handlers fit Bun's server", () => {
  // the part of @types/bun that distinguishes its handlers from any object
  const serve = (options: { websocket: { message(ws: { send(): void }, text: string): void } }) => options.websocket;
  assertEquals(serve({ websocket: sluice().websocket }), undefined);
});
