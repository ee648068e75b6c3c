/**
 * The least that Express's API asks of a handler written by hand: a request and a response object, handlers that call
 * `next()`, and the bytes of Sluice lean. There is no router, and nothing else that handlers may ask of Express.
 */
import { register } from "./express_like.ts";
import { HTML, NOT_FOUND, PAGE } from "./raw.ts";

type Next = (error?: unknown) => void;
type Handler = (req: LeastRequest, res: LeastResponse, next: Next) => void;

class LeastRequest {
  readonly request: Request;
  readonly method: string;
  readonly url: string;
  readonly path: string;
  params: Record<string, string | undefined> | undefined = undefined;
  body: unknown = undefined;
  res: LeastResponse | undefined = undefined;
  next: Next | undefined = undefined;

  constructor(request: Request, method: string, url: string, path: string) {
    this.request = request;
    this.method = method;
    this.url = url;
    this.path = path;
  }

  get(name: string): string | null {
    return this.request.headers.get(name);
  }
}

class LeastResponse {
  readonly req: LeastRequest;
  statusCode = 200;
  sent: Response | null = null;
  deliver: ((response: Response) => void) | null = null;

  constructor(req: LeastRequest) {
    this.req = req;
    req.res = this;
  }

  settle(response: Response): void {
    if (this.sent !== null) throw new Error("already sent");
    this.sent = response;
    this.deliver?.(response);
  }

  send(body: string): void {
    const response = new Response(body);
    response.headers.set("content-type", HTML);
    this.settle(response);
  }

  json(value: unknown): void {
    this.settle(Response.json(value));
  }
}

/** One pass through handlers. */
class Pass {
  readonly handlers: readonly Handler[];
  readonly req: LeastRequest;
  readonly res: LeastResponse;
  at = 0;

  constructor(handlers: readonly Handler[], req: LeastRequest, res: LeastResponse) {
    this.handlers = handlers;
    this.req = req;
    this.res = res;
  }

  run(): void {
    if (this.at === this.handlers.length) return this.end();
    const turn = ++this.at;
    const next = (error?: unknown) => {
      if (error) throw error;
      // a second call of the same next() is ignored
      if (turn === this.at) this.run();
    };
    this.req.next = next;
    this.handlers[turn - 1]!(this.req, this.res, next);
  }

  end(): void {
    // Express's page is HTML unless the client prefers JSON
    if (this.req.get("accept")?.includes("json")) return this.res.json({ error: "Not Found" });
    this.res.settle(new Response(PAGE(this.req.path), NOT_FOUND));
  }
}

const parseJson: Handler = (req, _res, next) => {
  const { request } = req;
  const isPlain = req.get("content-type") === "application/json" && req.get("content-encoding") === null;
  if (!isPlain || Number(req.get("content-length")) > 100 * 1024 || request.bodyUsed) throw new Error("not expected");
  request.text().then((text) => {
    req.body = JSON.parse(text);
    next();
  }, next);
};

const NONE: readonly Handler[] = [];
const routes = new Map<string, readonly Handler[]>();
const add = (path: string, ...handlers: Handler[]) => routes.set(path, [...routes.get(path) ?? [], ...handlers]);
register({ get: add, post: add, use: add }, parseJson);
const byId = routes.get("/user/:id")!;
const byLetters = routes.get("/a/:a/b/:b/c/:c")!;
const lastOfMany = routes.get("/r/99/:id")!;

function handlersFor(req: LeastRequest): readonly Handler[] {
  const { path } = req;
  const handlers = routes.get(path);
  if (handlers !== undefined) return handlers;
  if (path.startsWith("/user/")) {
    req.params = { id: path.slice(6) };
    return byId;
  }
  if (path.startsWith("/r/99/")) {
    req.params = { id: path.slice(6) };
    return lastOfMany;
  }
  if (!path.startsWith("/a/")) return NONE;
  const [, , a, , b, , c] = path.split("/");
  req.params = { a, b, c };
  return byLetters;
}

/** The handler. */
export function leastHandler(request: Request): Response | Promise<Response> {
  const { method, url } = request;
  const req = new LeastRequest(request, method, url, url.slice(url.indexOf("/", 8)));
  const res = new LeastResponse(req);
  new Pass(handlersFor(req), req, res).run();
  return res.sent ?? new Promise((resolve) => res.deliver = resolve);
}
