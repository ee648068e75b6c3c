import { FrameworkRequest } from "@sluice/sluice";
import { propertyOf, showMembers, showNodes } from "./shown.ts";

/**
 * Own properties on Node's and Express's requests: `{ ...req }` and `Object.assign({}, req)` copy them. The accessors
 * are shared by all requests, because otherwise V8 would turn every request into a hash table.
 */
const OWN: readonly (readonly [name: string, accessor: PropertyDescriptor])[] = [
  ...["url", "method", "originalUrl", "baseUrl", "params", "_parsedUrl", "socket", "client"],
  ...["rawHeaders", "rawTrailers", "complete", "aborted"],
].map((name) => [name, ownAccessor(FrameworkRequest.prototype, name)]);

/**
 * Returns a class's accessor, to define on each of its objects.
 *
 * @param prototype The class's prototype
 * @param name The accessor
 */
export function ownAccessor(prototype: object, name: string): PropertyDescriptor {
  return { ...propertyOf(prototype, name), enumerable: true };
}

/** A request with the properties shared by both majors of Express. */
export class ExpressRequest extends FrameworkRequest {
  override httpVersion = "1.1";
  override httpVersionMajor = 1;
  override httpVersionMinor = 1;
  /** Status in a response to Node's client; `null` in a request. */
  readonly statusCode: number | null = null;
  /** Reason phrase in a response to Node's client; `null` in a request. */
  readonly statusMessage: string | null = null;
  /** Whether Node has detached the connection; such requests reach no handler. */
  readonly upgrade = false;

  /**
   * Wraps an exchange; the framework does this for every request.
   *
   * @param exchange The exchange
   */
  constructor(exchange: ConstructorParameters<typeof FrameworkRequest>[0]) {
    super(exchange);
    for (const [name, accessor] of OWN) Object.defineProperty(this, name, accessor);
  }

  /** The client's address; for IPv4 in the form that Node's socket has, which may be `::ffff:127.0.0.1`. */
  override get ip(): string | undefined {
    const address = super.ip;
    const { remoteAddr } = (this.info ?? {}) as { remoteAddr?: { hostname?: unknown } };
    const mapped = `::ffff:${address}`;
    return remoteAddr?.hostname === mapped && this.ips.length === 0 ? mapped : address;
  }

  /** The cookies, once a middleware such as cookie-parser has set them. */
  override get cookies(): FrameworkRequest["cookies"] {
    return undefined;
  }

  override set cookies(value: FrameworkRequest["cookies"]) {
    super.cookies = value;
  }
}

showNodes(ExpressRequest.prototype);
showMembers(ExpressRequest.prototype, ["app"]);
