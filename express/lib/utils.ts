import createApp from "@sluice/express";

/**
 * Express's internal utilities, as far as programs use them: the functions behind settings, and two for paths and
 * lists.
 */
const utils = {
  /** Generates strong entity tags. */
  etag: compiled("etag", "strong"),
  /** Generates weak entity tags. */
  wetag: compiled("etag", "weak"),
  /** Returns the function for a value of `etag`. */
  compileETag: (value: unknown): unknown => compiled("etag", value),
  /** Returns the function for a value of `query parser`. */
  compileQueryParser: (value: unknown): unknown => compiled("query parser", value),
  /** Returns the function for a value of `trust proxy`. */
  compileTrust: (value: unknown): unknown => compiled("trust proxy", value),
  /** Flattens nested lists. */
  flatten: (list: readonly unknown[]): unknown[] => list.flat(Infinity),
  /** Whether a file path is absolute. */
  isAbsolute: (path: string): boolean => /^(?:[/\\]|[a-z]:[/\\])/i.test(path),
};

function compiled(setting: string, value: unknown): unknown {
  return createApp().set(setting, value).get(`${setting} fn`);
}

export { utils as "module.exports", utils as default };
