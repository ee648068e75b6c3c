import { builtinModule } from "./builtin_module.ts";

/**
 * Runs functions in an asynchronous context, with its `AsyncLocalStorage` values: an `AsyncResource`.
 *
 * @internal
 */
export interface AsyncScope {
  /** Runs a function immediately; throws what it throws. */
  runInAsyncScope(run: () => void): void;
}

/** The part of `node:async_hooks` used here. */
interface ContextModule {
  readonly AsyncResource: new (type: string) => AsyncScope;
}

/** The module, `null` if there is none; `undefined` before the first lookup. */
let found: ContextModule | null | undefined = undefined;

const NO_SCOPE: AsyncScope = { runInAsyncScope: (run) => run() };

/**
 * Keeps the current asynchronous context for later events. Node and Bun emit a connection's events in the connection's
 * context, workerd in no context; promises keep their own (`src/util/async_context.ts`).
 *
 * @returns The context's scope; on Workers without `nodejs_compat`, which have no contexts, it does nothing
 */
export function asyncScope(): AsyncScope {
  // looked up once: on Node, the lookup takes longer than creating a scope
  if (found === undefined) found = builtinModule<ContextModule>("node:async_hooks") ?? null;
  return found === null ? NO_SCOPE : new found.AsyncResource("Sluice");
}
