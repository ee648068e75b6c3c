import createApp from "@sluice/express";

/** What Express uses itself, as far as programs ask for it: the functions that settings stand for, and two of paths and lists. */
const utils = {
  /** Makes strong entity tags. */
  etag: compiled("etag", "strong"),
  /** Makes weak entity tags. */
  wetag: compiled("etag", "weak"),
  /** The function of a value of the setting `etag`. */
  compileETag: (value: unknown): unknown => compiled("etag", value),
  /** The function of a value of the setting `query parser`. */
  compileQueryParser: (value: unknown): unknown => compiled("query parser", value),
  /** The function of a value of the setting `trust proxy`. */
  compileTrust: (value: unknown): unknown => compiled("trust proxy", value),
  /** Lists within lists as one list. */
  flatten: (list: readonly unknown[]): unknown[] => list.flat(Infinity),
  /** Whether a path of a file is absolute. */
  isAbsolute: (path: string): boolean => /^(?:[/\\]|[a-z]:[/\\])/i.test(path),
};

function compiled(setting: string, value: unknown): unknown {
  return createApp().set(setting, value).get(`${setting} fn`);
}

export { utils as "module.exports", utils as default };
