/** Renders a file with some values; what `__express` and `renderFile` of template engines are. */
export type Engine = (
  path: string,
  // deno-lint-ignore no-explicit-any -- values of a view are the application's own
  options: Record<string, any>,
  callback: (error: Error | null, html?: string) => void,
) => unknown;

/**
 * An engine that is loaded when it is first needed: the package named like the extension, as in Express.
 *
 * @param name Name of the package
 * @param load Loads a package
 * @returns The engine; it fails with an error if the package has no `__express` and no `renderFile`
 */
export function packagedEngine(name: string, load?: (name: string) => Promise<unknown>): Engine {
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
  throw new Error(
    `Module "${name}" does not provide a view engine. Register one: app.engine("${name}", renderFile)`,
  );
}
