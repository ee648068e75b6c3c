import { builtinModule } from "./builtin_module.ts";

/**
 * Runs functions in an asynchronous context, with its values of `AsyncLocalStorage`: an `AsyncResource`.
 *
 * @internal
 */
export interface AsyncScope {
  /** Runs a function at once; throws what it throws. */
  runInAsyncScope(run: () => void): void;
}

/** The used part of `node:async_hooks`. */
interface ContextModule {
  readonly AsyncResource: new (type: string) => AsyncScope;
}

/** The module, `null` where there is none; `undefined` before it was looked for. */
let found: ContextModule | null | undefined = undefined;

const NO_SCOPE: AsyncScope = { runInAsyncScope: (run) => run() };

/**
 * Keeps the present asynchronous context for what a runtime tells later. Node and Bun emit the events of a connection in
 * the context of the connection, workerd in none; promises keep theirs (`src/util/async_context.ts`).
 *
 * @returns The scope of the context; on Workers without `nodejs_compat`, where nothing has a context, one that does nothing
 */
export function asyncScope(): AsyncScope {
  // looked for once: on Node that takes longer than to make one
  if (found === undefined) found = builtinModule<ContextModule>("node:async_hooks") ?? null;
  return found === null ? NO_SCOPE : new found.AsyncResource("Sluice");
}
