import type { AnyHandler } from "../matching/layer.ts";

/** The parts of an application that mounting uses, whether Express's or ours. */
export interface ExpressApp {
  /** Prototype for its requests. */
  readonly request: object;
  /** Prototype for its responses. */
  readonly response: object;
  /** The path at which it is mounted. */
  mountpath: unknown;
  /** The application on which it is mounted. */
  parent: unknown;
  /** Passes a request through the application. */
  handle(req: object, res: object, next: (error?: unknown) => void): void;
  /** Emits the `mount` event. */
  emit(event: string, parent: unknown): unknown;
}

/** Whether a handler is an Express application, as in a package with its own pages. */
export function isExpressApp(fn: unknown): fn is AnyHandler & ExpressApp {
  const { handle, set, request, response } = fn as Record<string, unknown>;
  return typeof handle === "function" && typeof set === "function" && typeof request === "object" &&
    typeof response === "object";
}

/**
 * Lets an Express application serve requests that Node did not create.
 *
 * Express sets its own prototypes on every request and response. They end at Node's classes and would hide our methods.
 * So the application gets prototypes that have the same properties and inherit from ours.
 *
 * @param fn A middleware about to be registered
 * @returns The middleware, adapted if it is an Express application
 */
export function withOwnPrototypes(fn: AnyHandler): AnyHandler {
  if (!isExpressApp(fn)) return fn;
  const app: ExpressApp = fn;
  // named as in Express
  return function mounted_app(req: object, res: object, next: (error?: unknown) => void): void {
    const [reqPrototype, resPrototype] = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)];
    const inside: ExpressApp = Object.create(app, {
      request: { value: onTop(reqPrototype, app.request) },
      response: { value: onTop(resPrototype, app.response) },
    });
    inside.handle(req, res, (error) => {
      Object.setPrototypeOf(req, reqPrototype);
      Object.setPrototypeOf(res, resPrototype);
      next(error);
    });
  };
}

function onTop(prototype: object, own: object): object {
  return Object.create(prototype, Object.getOwnPropertyDescriptors(own));
}
