import { FrameworkRequest } from "@sluice/sluice";

/** A request with what both majors of Express show. */
export class ExpressRequest extends FrameworkRequest {
  /** Address of the client; that of an IPv4 client as Node's socket has it, which may be `::ffff:127.0.0.1`. */
  override get ip(): string | undefined {
    const address = super.ip;
    const { remoteAddr } = (this.info ?? {}) as { remoteAddr?: { hostname?: unknown } };
    const mapped = `::ffff:${address}`;
    return remoteAddr?.hostname === mapped && this.ips.length === 0 ? mapped : address;
  }
}
