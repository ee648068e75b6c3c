import { exchangeOf, type Profile, profileKey } from "@sluice/sluice/profile";
import { ExpressRequest, ownAccessor } from "../shared/express_request.ts";

type Any = ExpressRequest["body"];

/** Parsed queries by exchange. */
const queries = new WeakMap<object, Any>();

function isFour(app: unknown): boolean {
  return (app as { readonly [profileKey]?: Profile | null } | undefined)?.[profileKey]?.Request === Request;
}

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

  /**
   * The query that the client sent, parsed once by the outermost application's parser, whatever the program assigns to
   * `req.url`; by the extended parser if it has deleted the setting.
   */
  override get query(): Any {
    let { app } = this;
    const exchange = exchangeOf(this);
    const isOwn = exchange !== null && isFour(app);
    if (isOwn && queries.has(exchange)) return queries.get(exchange);
    while (isOwn && isFour(app.parent)) app = app.parent as typeof app;
    if (!("query parser fn" in app.settings)) app.set("query parser", "extended");
    if (!isOwn) return super.query;
    const parse = app.get("query parser fn");
    const query = parse(/\?(.*)$/s.exec(exchange.target.originalUrl)?.[1] ?? null);
    queries.set(exchange, query);
    return query;
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
