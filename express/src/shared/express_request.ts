import { FrameworkRequest } from "@sluice/sluice";
import { propertyOf, showMembers, showNodes } from "./shown.ts";

/**
 * What Node's and Express's requests have themselves: `{ ...req }` and `Object.assign({}, req)` copy it. The accessors
 * are the same for all, because otherwise V8 would turn every request into a hash table.
 */
const OWN: readonly (readonly [name: string, accessor: PropertyDescriptor])[] = [
  ...["url", "method", "originalUrl", "baseUrl", "params", "_parsedUrl", "socket", "client"],
  ...["rawHeaders", "rawTrailers", "complete", "aborted"],
].map((name) => [name, ownAccessor(FrameworkRequest.prototype, name)]);

/**
 * An accessor of a class, as it is defined on each of its objects.
 *
 * @param prototype Prototype of the class
 * @param name The accessor
 */
export function ownAccessor(prototype: object, name: string): PropertyDescriptor {
  return { ...propertyOf(prototype, name), enumerable: true };
}

/** A request with what both majors of Express show. */
export class ExpressRequest extends FrameworkRequest {
  override httpVersion = "1.1";
  override httpVersionMajor = 1;
  override httpVersionMinor = 1;
  /** Status of what Node's client receives; `null` in a request. */
  readonly statusCode: number | null = null;
  /** Reason phrase of what Node's client receives; `null` in a request. */
  readonly statusMessage: string | null = null;
  /** Whether Node has handed over the connection; such requests reach no handler. */
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

  /** Address of the client; that of an IPv4 client as Node's socket has it, which may be `::ffff:127.0.0.1`. */
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
