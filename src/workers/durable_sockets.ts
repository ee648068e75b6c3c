import { FrameworkApp } from "../app/framework_app.ts";
import { describe } from "../util/error_text.ts";
import { isThenable } from "../util/is_thenable.ts";
import { checkNames, type OptionNames, refuseOption } from "../util/check_option.ts";
import { acceptInObject } from "../platform/cloudflare/cloudflare_platform.ts";
import type { Any } from "../util/any.ts";
import type { DurableSockets, DurableSocketsBase, DurableSocketsOptions, PlainObject } from "./durable_object.ts";
import type { DurableState, ObjectSocket } from "./durable_state.ts";
import { ObjectSockets } from "./object_sockets.ts";

/** Default base class for {@linkcode durableSockets}, with the same properties as Cloudflare's own class. */
class Plain {
  readonly ctx: DurableState;
  readonly env: unknown;

  constructor(ctx: DurableState, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** Caller name for error messages. */
const CALLER = "durableSockets";

const applications = new WeakSet<FrameworkApp>();

const NAMES: OptionNames<DurableSocketsBase<unknown>> = { headers: true, autoResponse: true, base: true };

/**
 * Creates a class for a Durable Object that serves an application and hibernates while its WebSockets are open.
 *
 * A message wakes the object: the application is created again, and its route's handlers get the message. `open` does
 * not run again. The object keeps up to 16 KiB in total: the route, `ws.protocol`, the topics, `ws.data.params`, the
 * URL and headers of `ws.data.req`, and other properties on `ws.data` as each handler leaves them, if `structuredClone`
 * supports them.
 *
 * @param make Creates an object's application; every object needs its own
 * @param options What to save, and the response to pings that does not wake the object
 * @returns The class to extend
 * @throws {TypeError} If `make` is not a function, or an option is unknown or has the wrong type
 *
 * @example A room
 * ```ts ignore
 * export class Room extends durableSockets((ctx, env) => {
 *   const app = sluice();
 *   app.ws("/rooms/:room", {
 *     open: (ws) => ws.subscribe("all"),
 *     message: (ws, text) => void ws.publish("all", text),
 *   });
 *   return app;
 * }) {}
 * ```
 */
export function durableSockets<Ctx extends DurableState = DurableState, Env = Any>(
  make: (ctx: Ctx, env: Env) => FrameworkApp<Any>,
  options?: DurableSocketsOptions,
): new (ctx: Ctx, env: Env) => DurableSockets & PlainObject<Ctx, Env>;
/**
 * Creates a class for a Durable Object as above, extending another class.
 *
 * @param make Creates an object's application; every object needs its own
 * @param options The class to extend, what to save, and the response to pings that does not wake the object
 * @returns The class to extend
 * @throws {TypeError} If `make` is not a function, or an option is unknown
 */
export function durableSockets<
  Ctx extends DurableState,
  Env,
  Base extends abstract new (ctx: never, env: never) => object,
>(
  make: (ctx: Ctx, env: Env) => FrameworkApp<Any>,
  options: DurableSocketsBase<Base>,
): new (ctx: Ctx, env: Env) => DurableSockets & InstanceType<Base>;
export function durableSockets(
  make: (ctx: DurableState, env: unknown) => FrameworkApp,
  options: DurableSocketsOptions & { base?: unknown } = {},
): unknown {
  if (typeof make !== "function") {
    throw new TypeError(
      "durableSockets expects a function that creates the application of one object: durableSockets(() => { " +
        "const app = sluice(); app.ws(…); return app; })",
    );
  }
  checkNames(CALLER, options, NAMES);
  checkOptions(options);
  const Base = (options.base ?? Plain) as new (ctx: DurableState, env: unknown) => object;
  return class extends Base implements DurableSockets {
    readonly app: FrameworkApp;
    readonly #ctx: DurableState;
    readonly #env: unknown;
    readonly #sockets: ObjectSockets;

    constructor(ctx: DurableState, env: unknown) {
      super(ctx, env);
      this.app = ownApplication(make(ctx, env));
      this.#ctx = ctx;
      this.#env = env;
      this.#sockets = new ObjectSockets(ctx, env, this.app, options.headers);
      acceptInObject(ctx, (upgrade) => this.#sockets.upgrade(upgrade));
      this.#sockets.wake();
      if (options.autoResponse !== undefined) ctx.setWebSocketAutoResponse(responsePair(options.autoResponse));
    }

    fetch(request: Request): Response | Promise<Response> {
      return this.app.fetch(request, this.#env, this.#ctx);
    }

    webSocketMessage(socket: ObjectSocket, message: string | ArrayBuffer): Promise<void> {
      return this.#sockets.message(socket, message);
    }

    webSocketClose(socket: ObjectSocket, code: number, reason: string, _wasClean: boolean): Promise<void> {
      return this.#sockets.closed(socket, code, reason);
    }

    webSocketError(socket: ObjectSocket, error: unknown): Promise<void> {
      return this.#sockets.failed(socket, error);
    }
  };
}

// otherwise the first object or its first connection would fail
function checkOptions({ headers, autoResponse, base }: DurableSocketsOptions & { base?: unknown }): void {
  const { request, response } = autoResponse ?? { request: "", response: "" };
  if (headers !== undefined && !Array.isArray(headers)) {
    refuseOption(CALLER, "headers", "a list of header names", headers);
  }
  if (typeof request !== "string" || typeof response !== "string") {
    refuseOption(CALLER, "autoResponse", "an object { request, response } of two strings", autoResponse);
  }
  if (base !== undefined && typeof base !== "function") refuseOption(CALLER, "base", "a class", base);
}

// objects of one class share a process and its globals, even after hibernation; their connections must not mix
function ownApplication(app: FrameworkApp): FrameworkApp {
  if (!(app instanceof FrameworkApp)) {
    const given = isThenable(app)
      ? "a promise; start slow work in the function, and await it in the handlers"
      : describe(app);
    throw new TypeError(`durableSockets: the function must return an application, not ${given}`);
  }
  if (applications.has(app)) {
    throw new TypeError(
      "durableSockets: the function returned an application that another object has, or the same object before it " +
        "slept; create the application inside the function",
    );
  }
  applications.add(app);
  return app;
}

function responsePair({ request, response }: { request: string; response: string }): object {
  const { WebSocketRequestResponsePair } = globalThis as unknown as {
    WebSocketRequestResponsePair: new (request: string, response: string) => object;
  };
  return new WebSocketRequestResponsePair(request, response);
}
