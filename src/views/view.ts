import { isThenable } from "../util/is_thenable.ts";
import { extensionOf, isAbsolutePath, NO_FILES, resolvePath, separatorBelow } from "../util/file_paths.ts";
import type { FileSystem } from "../exchange/file_system.ts";
import { defaultApp } from "../exchange/default_app.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** Renders a file with values, like template engines' `__express` and `renderFile`. */
export type Engine = (
  path: string,
  // deno-lint-ignore no-explicit-any -- a view's values are the application's own
  options: Record<string, any>,
  callback: (error: Error | null, html?: string) => void,
) => unknown;

/**
 * Where to look for a view, and the engines that render it.
 *
 * @example The arguments of a view
 * ```ts
 * import { View } from "@sluice/sluice";
 * import type { ViewOptions } from "@sluice/sluice/types";
 *
 * const options: ViewOptions = { root: "views", engines: { ".html": (_path, _options, done) => done(null, "<p>Hello") } };
 * const view = new View("home.html", options);
 * console.log(view.ext); // .html
 * ```
 */
export interface ViewOptions {
  /** Extension for names without one. */
  defaultEngine?: string | undefined;
  /** Folder or folders. */
  root: string | readonly string[];
  /** Engines by extension. */
  engines: Record<string, Engine>;
  /** Loads the package for an unregistered engine; the platform's loader by default. */
  loadPackage?: ((name: string) => Promise<unknown>) | undefined;
  /** The file system; the platform's by default. */
  files?: FileSystem | null | undefined;
}

/** Error codes for files that do not exist. */
const MISSING: readonly unknown[] = ["ENOENT", "ENOTDIR"];

/**
 * A view: a template file and its engine.
 *
 * @example Views stored elsewhere
 * ```ts
 * import sluice, { View } from "@sluice/sluice";
 *
 * const app = sluice();
 * class ArchivedView extends View {
 *   static readonly archive = "https://archive.example/views/";
 * }
 * app.set("view", ArchivedView);
 * ```
 */
export class View {
  /** The requested name. */
  readonly name: string;
  /** Extension for names without one, as set. */
  readonly defaultEngine: string | undefined;
  /** The file's extension, with the dot. */
  readonly ext: string;
  /** The folders that were searched. */
  readonly root: string | readonly string[];
  /** The engine that renders it. */
  readonly engine: Engine;
  /** Why a file was not considered: it is outside the folders, or Deno lacks permission to read it. */
  refusal: unknown = undefined;
  /** Path of the file, `undefined` if there is none. */
  readonly path: string | undefined;
  readonly #files: FileSystem | null;

  /**
   * Looks up a view.
   *
   * @param name Name of the view, with or without an extension
   * @param options Where to look
   * @throws {Error} If there is neither an extension nor a default engine
   */
  constructor(name: string, options: ViewOptions) {
    if (typeof name !== "string") {
      throw new TypeError(`res.render and app.render expect a view's name, not ${typeof name}`);
    }
    this.name = name;
    this.defaultEngine = options.defaultEngine;
    this.root = options.root;
    const { files, loadPackage } = options;
    this.#files = files === undefined ? defaultApp()[runtimeKey].files : files;
    const given = extensionOf(name);
    const usual = options.defaultEngine && dotted(options.defaultEngine);
    if (given === "" && !usual) {
      throw new Error(`No default engine was specified and no extension was provided: "${name}"; set "view engine"`);
    }
    this.ext = given || usual!;
    this.engine = options.engines[this.ext] ??= engineFor(
      this,
      usual,
      loadPackage ?? ((name) => defaultApp()[runtimeKey].loadPackage(name)),
    );
    this.path = this.lookup(given === "" ? name + this.ext : name);
  }

  /**
   * Finds the view's file. A subclass may look elsewhere, such as in a theme's folder.
   *
   * A relative name resolves to a file inside one of the folders, unlike in Express, because names may come from
   * clients; links may lead outside. An absolute path is used as is, as in Express, because it comes from the program.
   *
   * @param fileName Name of the view with its extension, or an absolute path
   * @returns Path of the file, `undefined` if there is none
   */
  lookup(fileName: string): string | undefined {
    const workingDirectory = (): string => this.#files?.workingDirectory() ?? "/";
    let strayed: string | null = null;
    for (const root of [this.root].flat()) {
      const folder = resolvePath(root, workingDirectory);
      const separator = separatorBelow(folder);
      const location = resolvePath(fileName, () => folder, separator);
      // resolved again, because "...ejs" is ".." plus its extension and would lead to the parent folder
      const index = resolvePath(`${location.slice(0, -this.ext.length)}/index${this.ext}`, () => folder, separator);
      const isGiven = isAbsolutePath(fileName, separator);
      const inside = [location, index].filter((path) => isGiven || isWithin(folder, path));
      const found = inside.find((path) => this.#isFile(path));
      if (found !== undefined) return found;
      if (inside.length === 0) strayed = location;
    }
    if (strayed !== null) this.refusal ??= new Error(`"${strayed}" is not inside; set "views" to its folder`);
    return undefined;
  }

  #isFile(path: string): boolean {
    try {
      if (this.#files === null) throw new Error(NO_FILES);
      return this.#files.statSync(path).isFile;
    } catch (error) {
      // if the file is inaccessible for any reason, there is no view
      if (!MISSING.includes((error as { code?: string }).code)) this.refusal ??= error;
      return false;
    }
  }

  /**
   * Renders the view.
   *
   * @param options Values for the view
   * @param callback Receives the string or the error, always after this function has returned
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

function dotted(extension: string): string {
  return extension.startsWith(".") ? extension : `.${extension}`;
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/**
 * The engine for a view whose extension has no registered engine. Express would load the package named after the
 * extension, which a client may have made up; here only `view engine` names one.
 *
 * @param view The view
 * @param usual The extension from `view engine`
 * @param load Loads an installed package
 * @throws {Error} If the view has a different extension
 */
function engineFor(
  { name, ext }: View,
  usual: string | undefined,
  load: (name: string) => Promise<unknown>,
): Engine {
  if (ext === usual) return packagedEngine(ext.slice(1), load);
  const expected = usual === undefined ? '"view engine", which is not set,' : `"view engine", ${usual},`;
  throw notFound(
    ext.slice(1),
    `The extension of the view "${name}" does not provide a view engine: it is neither that of ${expected} nor that of ` +
      "a registered engine",
  );
}

/**
 * An engine loaded on first use: the package named after the extension, as in Express.
 *
 * @param name Name of the package
 * @param load Loads an installed package
 * @returns The engine; it fails with an error if the package is missing or has no `__express`
 */
function packagedEngine(name: string, load: (name: string) => Promise<unknown>): Engine {
  let engine: Promise<Engine> | null = null;
  return (path, options, callback) => {
    engine ??= loadEngine(name, load);
    engine.then((render) => render(path, options, callback)).catch(callback);
  };
}

async function loadEngine(name: string, load: (name: string) => Promise<unknown>): Promise<Engine> {
  const loaded = await load(name) as Record<string, unknown> | undefined;
  if (loaded === undefined) {
    throw notFound(
      name,
      `"view engine" names it, and packages are not downloaded for views. Check its name, install it`,
    );
  }
  const module = (loaded["default"] ?? loaded) as Record<string, unknown>;
  const engine = module["__express"] ?? loaded["__express"];
  if (typeof engine === "function") return engine as Engine;
  throw new Error(`Module "${name}" does not provide a view engine. ${registering(name)}`);
}

/** The code on Express's error, which comes from `require`. */
export const MODULE_NOT_FOUND = "MODULE_NOT_FOUND";

function notFound(name: string, why: string): Error {
  const error = new Error(`Cannot find module '${name}'. ${why}. ${registering(name)}`);
  return Object.assign(error, { code: MODULE_NOT_FOUND });
}

function registering(name: string): string {
  return `Or register an engine: app.engine("${name}", renderFile)`;
}
