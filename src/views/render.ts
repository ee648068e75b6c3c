import { describe, reasonOf } from "../util/error_text.ts";
import type { RenderCallback, SettingValue } from "../exchange/app_like.ts";
import { callGuarded, type ErrorReporter } from "../exchange/call_guarded.ts";
import type { RuntimeSupport } from "../exchange/runtime_support.ts";
import { type Engine, MODULE_NOT_FOUND, type View, type ViewOptions } from "./view.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** The parts of an application needed for rendering. */
export interface ViewHost extends ErrorReporter {
  /** Values for all views. */
  readonly locals: Record<string, unknown>;
  /** Engines by extension. */
  readonly engines: Record<string, Engine>;
  /** Views found so far. */
  readonly cache: Record<string, View>;
  /** The runtime, for its files. */
  readonly [runtimeKey]: RuntimeSupport;
  /** Reads a setting. */
  get(name: string): SettingValue;
  /** Returns whether a setting is truthy. */
  enabled(name: string): boolean;
}

/** Maximum number of names whose views are cached: a client may spell one in many ways, such as `./page`. */
const MOST_VIEWS = 1000;

/** Values of any type for a view. */
export interface RenderOptions {
  /** The response's values. */
  _locals?: object;
}

/**
 * Renders a view by name.
 *
 * Values come from `app.locals`, overridden by `options._locals` (the response's), overridden by `options`.
 *
 * @param host The application
 * @param name Name of the view
 * @param options Values for the view; `cache` overrides the `view cache` setting
 * @param given Receives the string or the error
 * @throws {Error} If the name has no extension and there is no `view engine`
 * @throws {TypeError} If the callback is missing
 */
export function render(host: ViewHost, name: string, options: RenderOptions, given: RenderCallback): void {
  if (typeof given !== "function") {
    throw new TypeError(`res.render and app.render expect a callback as a function, not ${describe(given)}`);
  }
  // on error, there is no string, which Express's type does not show
  const callback = given as (error: Error | null, html?: string) => void;
  let isLate = false;
  const values: Record<string, unknown> = { ...host.locals, ...options._locals, ...options };
  values["cache"] ??= host.enabled("view cache");
  const view = (values["cache"] ? host.cache[name] : undefined) ?? findView(host, name);
  if (view instanceof Error) return callback(view);
  if (!view.path) {
    const why = view.refusal === undefined ? "" : `; ${reasonOf(view.refusal)}`;
    const error = new Error(`Failed to lookup view "${name}" in views ${describeRoots(view.root)}${why}`);
    return callback(Object.assign(error, { view }));
  }
  if (values["cache"] && (name in host.cache || Object.keys(host.cache).length < MOST_VIEWS)) host.cache[name] = view;
  try {
    view.render(values, (error, html) => {
      if (!isLate) return callback(error, html);
      // the caller has already moved on
      callGuarded(host, { phase: "view" }, () => callback(error, html));
    });
  } catch (error) {
    callback(error as Error);
  }
  isLate = true;
}

function findView(host: ViewHost, name: string): View | Error {
  // the "view" setting may be the program's own class
  const ViewClass = host.get("view") as new (name: string, options: ViewOptions) => View;
  try {
    return new ViewClass(name, {
      defaultEngine: host.get("view engine"),
      root: host.get("views"),
      engines: host.engines,
      files: host[runtimeKey].files,
      loadPackage: (packageName: string) => host[runtimeKey].loadPackage(packageName),
    });
  } catch (error) {
    // the name may come from a client: Express throws, which crashes the process if a handler renders after an await
    if ((error as { code?: unknown } | null)?.code === MODULE_NOT_FOUND) return error as Error;
    throw error;
  }
}

function describeRoots(root: string | readonly string[]): string {
  const roots = [root].flat();
  if (roots.length < 2) return `directory "${roots}"`;
  return `directories "${roots.slice(0, -1).join('", "')}" or "${roots.at(-1)}"`;
}
