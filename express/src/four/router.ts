import { BaseRouter, dialectKey, type PathDialect } from "@sluice/sluice/profile";
import { assertFunctions, checkUse } from "./checked.ts";
import { PATHS } from "./paths/paths.ts";

type Any = ReturnType<BaseRouter["handle"]> | Parameters<BaseRouter["handle"]>[0];

/** Creates a handler from the arguments to `router.param(name, …)`, or returns nothing. */
type ParamFactory = (name: string, handler: unknown) => unknown;

/** A router with the features that Express 4 has, but Express 5 lacks. */
export class Router extends BaseRouter {
  /** Factories for parameter handlers; the name is Express 4's. */
  readonly _params: ParamFactory[] = [];

  /** Its path syntax, besides Express 5's. */
  override get [dialectKey](): PathDialect {
    return PATHS;
  }

  /** Passes a request through the layers; the callback may be missing. */
  override handle(req: Any, res: Any, next: Any): void {
    super.handle(req, res, next ?? (() => {}));
  }

  /** Registers a handler for a parameter, or a factory for handlers registered later. */
  override param(name: Any, handler?: Any): this {
    if (typeof name === "function") {
      this._params.push(name as ParamFactory);
      return this;
    }
    if (Array.isArray(name)) return super.param(name, handler);
    const bare = typeof name === "string" && name.startsWith(":") ? name.slice(1) : name;
    let made: unknown = handler;
    for (const factory of this._params) made = factory(bare, made) || made;
    if (typeof made !== "function") throw new Error(`invalid param() call for ${bare}, got ${made}`);
    return super.param(bare, made as Any);
  }

  /** Registers handlers for a method, and rejects others as Express 4 does. */
  override register(method: string | null, path: Any, handlers: readonly unknown[]): this {
    assertFunctions(`Route.${method ?? "all"}`, "callback", handlers);
    return super.register(method, path, handlers);
  }
}

checkUse(Router.prototype);
