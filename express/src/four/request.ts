import { ExpressRequest, ownAccessor } from "../shared/express_request.ts";

type Any = ExpressRequest["body"];

/** A request with the properties that Express 4 has, but Express 5 lacks. */
export class Request extends ExpressRequest {
  /**
   * As in Express 4, whose first middleware assigns the query; shared by all requests, see {@linkcode ExpressRequest}.
   */
  static readonly #query: PropertyDescriptor = ownAccessor(this.prototype, "query");

  /**
   * Wraps an exchange; the framework does this for every request.
   *
   * @param exchange The exchange
   */
  constructor(exchange: ConstructorParameters<typeof ExpressRequest>[0]) {
    super(exchange);
    Object.defineProperty(this, "query", Request.#query);
  }

  /** The query, nested as by the extended parser, even if the program has deleted the setting. */
  override get query(): Any {
    if (!("query parser fn" in this.app.settings)) this.app.set("query parser", "extended");
    return super.query;
  }

  override set query(value: Any) {
    super.query = value;
  }

  /** The host without its port; the same as `req.hostname`. */
  override get host(): string {
    const host = super.host as string | undefined;
    return host?.replace(/^(\[[^\]]*\]|[^:[]*):.*$/s, "$1") as string;
  }

  override set host(value: string) {
    super.host = value;
  }

  /** Reads a value from the path, the body or the query, in this order. */
  param(name: string, defaultValue?: unknown): unknown {
    const params = this.params as Record<string, unknown> | undefined ?? {};
    if (Object.hasOwn(params, name) && (params[name] ?? null) !== null) return params[name];
    return (this.body as Any)?.[name] ?? this.query?.[name] ?? defaultValue;
  }

  /** The singular of `req.acceptsCharsets`. */
  acceptsCharset(...charsets: string[]): unknown {
    return this.acceptsCharsets(...charsets);
  }

  /** The singular of `req.acceptsEncodings`. */
  acceptsEncoding(...encodings: string[]): unknown {
    return this.acceptsEncodings(...encodings);
  }

  /** The singular of `req.acceptsLanguages`. */
  acceptsLanguage(...languages: string[]): unknown {
    return this.acceptsLanguages(...languages);
  }
}
