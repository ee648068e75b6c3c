import { FrameworkApp } from "../app/framework_app.ts";
import type { WebSocketRouteDefinition } from "../routing/layer_views.ts";
import type { WebSocketHandlers } from "../websocket/ws_handlers.ts";

/** A router or application with WebSocket routes. */
interface Registered {
  readonly wsRoutes: readonly WebSocketRouteDefinition[];
  readonly children: readonly { readonly router: unknown }[];
}

/** A WebSocket route and the application on which it was registered. */
export interface OwnedRoute {
  /** Handlers for its connections. */
  readonly handlers: WebSocketHandlers;
  /** The outermost application, or the mounted one that owns the route. */
  readonly owner: FrameworkApp;
}

/** WebSocket routes on an application and everything mounted on it, numbered in registration order. */
export class SocketRoutes {
  readonly #app: FrameworkApp;
  #routes: readonly OwnedRoute[] | null = null;

  /** @param app The outermost application */
  constructor(app: FrameworkApp) {
    this.#app = app;
  }

  /**
   * The number that identifies a route after hibernation.
   *
   * @param handlers The route's handlers
   * @param path Its path, for the error message
   * @throws {Error} If there is no such route
   */
  numberOf(handlers: object, path: string): number {
    const known = this.#indexOf(handlers);
    if (known !== -1) return known;
    // it may have been registered since the last listing
    this.#routes = null;
    const number = this.#indexOf(handlers);
    if (number !== -1) return number;
    throw new Error(
      `durableSockets cannot find the route "${path}" again after a sleep: register it on the application, or on a ` +
        "router or an application that is mounted on it with app.use",
    );
  }

  /** The route with the given number, `undefined` if the application no longer has it. */
  at(number: number): OwnedRoute | undefined {
    return this.#list()[number];
  }

  #indexOf(handlers: object): number {
    return this.#list().findIndex((route) => route.handlers === handlers);
  }

  #list(): readonly OwnedRoute[] {
    return this.#routes ??= [...routesOn(this.#app, this.#app, [])];
  }
}

function* routesOn(layers: Registered, owner: FrameworkApp, within: readonly Registered[]): Generator<OwnedRoute> {
  for (const { handlers } of layers.wsRoutes) yield { handlers, owner };
  for (const { router } of layers.children) {
    const child = router as Registered;
    if (within.includes(child)) continue;
    yield* routesOn(child, child instanceof FrameworkApp ? child : owner, [...within, layers]);
  }
}
