import { isThenable } from "../http/is_thenable.ts";
import { extensionOf, NO_FILES, resolvePath, separatorBelow } from "../http/file_paths.ts";
import type { FileSystem } from "../http/file_system.ts";

/** Renders a file with values, like `__express` and `renderFile` of template engines. */
export type Engine = (
  path: string,
  // deno-lint-ignore no-explicit-any -- values of a view are the application's own
  options: Record<string, any>,
  callback: (error: Error | null, html?: string) => void,
) => unknown;

/** Where to look for a view, and the engines to render it. */
export interface ViewOptions {
  /** Extension for names without one. */
  defaultEngine?: string | undefined;
  /** Folder or folders. */
  root: string | readonly string[];
  /** Engines by extension. */
  engines: Record<string, Engine>;
  /** Loads the package of an engine that is not registered. */
  loadPackage?: ((name: string) => Promise<unknown>) | undefined;
  /** Files of the platform. */
  files?: FileSystem | null | undefined;
}

/** Codes of errors for files that do not exist. */
const MISSING: readonly unknown[] = ["ENOENT", "ENOTDIR"];

/** A view: a template file and the engine for it. */
export class View {
  /** The requested name. */
  readonly name: string;
  /** Extension for names without one, as it was set. */
  readonly defaultEngine: string | undefined;
  /** Its extension, with the dot. */
  readonly ext: string;
  /** The folders that were searched. */
  readonly root: string | readonly string[];
  /** The engine that renders it. */
  readonly engine: Engine;
  /** Why a file could not be looked at, such as a permission that Deno has not been given. */
  refusal: unknown = undefined;
  /** Path of the file, `undefined` if there is none. */
  readonly path: string | undefined;
  readonly #files: FileSystem | null;

  /**
   * Looks a view up.
   *
   * @param name Name of the view, with or without an extension
   * @param options Where to look
   * @throws {Error} If there is neither an extension nor a default engine
   */
  constructor(name: string, options: ViewOptions) {
    if (typeof name !== "string") {
      throw new TypeError(`res.render and app.render take a view's name, not ${typeof name}`);
    }
    this.name = name;
    this.defaultEngine = options.defaultEngine;
    this.root = options.root;
    this.#files = options.files ?? null;
    const given = extensionOf(name);
    if (given === "" && !options.defaultEngine) {
      throw new Error(`No default engine was specified and no extension was provided: "${name}"; set "view engine"`);
    }
    this.ext = given !== "" ? given : `.${options.defaultEngine!.replace(/^\./, "")}`;
    this.engine = options.engines[this.ext] ?? packagedEngine(this.ext.slice(1), options.loadPackage);
    this.path = this.lookup(given === "" ? name + this.ext : name);
    // only if the file exists: names may come from clients, who could fill the memory with invented extensions
    if (this.path !== undefined) options.engines[this.ext] ??= this.engine;
  }

  /**
   * Finds the file of the view. A class that extends this one may look elsewhere, such as in the folder of a theme.
   *
   * @param fileName Name of the view with its extension
   * @returns Path of the file, `undefined` if there is none
   */
  lookup(fileName: string): string | undefined {
    const workingDirectory = (): string => this.#files?.workingDirectory() ?? "/";
    for (const root of [this.root].flat()) {
      const folder = resolvePath(root, workingDirectory);
      const location = resolvePath(fileName, () => folder, separatorBelow(folder));
      for (const path of [location, `${location.slice(0, -this.ext.length)}/index${this.ext}`]) {
        if (this.#isFile(path)) return path;
      }
    }
    return undefined;
  }

  #isFile(path: string): boolean {
    try {
      if (this.#files === null) throw new Error(NO_FILES);
      return this.#files.statSync(path).isFile;
    } catch (error) {
      // if the file cannot be accessed, for whatever reason, there is no view
      if (!MISSING.includes((error as { code?: string }).code)) this.refusal ??= error;
      return false;
    }
  }

  /**
   * Renders the view.
   *
   * @param options Values for the view
   * @param callback Gets the text or the error, always after this function has returned
   */
  render(options: Record<string, unknown>, callback: (error: Error | null, html?: string) => void): void {
    let returned = false;
    const result = this.engine(this.path!, options, (...args) => {
      if (returned) callback(...args);
      else queueMicrotask(() => callback(...args));
    });
    returned = true;
    // engines that are async functions may reject instead of calling back
    if (isThenable(result)) result.then(null, (error) => callback(error));
  }
}

/**
 * An engine that is loaded on first use: the package named like the extension, as in Express.
 *
 * @param name Name of the package
 * @param load Loads a package
 * @returns The engine; it fails with an error if there is no such package, or it has no `__express`
 */
function packagedEngine(name: string, load?: (name: string) => Promise<unknown>): Engine {
  let engine: Promise<Engine> | null = null;
  return (path, options, callback) => {
    engine ??= loadEngine(name, load);
    engine.then((render) => render(path, options, callback)).catch(callback);
  };
}

async function loadEngine(name: string, load?: (name: string) => Promise<unknown>): Promise<Engine> {
  const loaded = await load?.(name) as Record<string, unknown> | undefined;
  const module = (loaded?.["default"] ?? loaded) as Record<string, unknown> | undefined;
  const engine = module?.["__express"] ?? loaded?.["__express"];
  if (typeof engine === "function") return engine as Engine;
  const problem = loaded === undefined
    ? `Cannot find package "${name}"`
    : `Module "${name}" does not provide a view engine`;
  throw new Error(`${problem}. Register one: app.engine("${name}", renderFile)`);
}
