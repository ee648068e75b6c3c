import { containsClient, Mistakes, type TrustSetting, type Validate } from "./mistakes.ts";

/** How a limiter determines which client sent a request. */
export interface Clients<Req> {
  /** Returns the address of a request's client. */
  addressOf(req: Req): string | undefined;
  /** Reads a request header. */
  header(req: Req, name: string): string | undefined;
  /** Which proxies may report the client's address; `null` if unknown, or if the program determines it itself. */
  trustOf(req: Req): TrustSetting | null;
}

/** Determines which client sent a request, and looks for mistakes that would identify the wrong one. */
export class ClientFinder<Req> {
  readonly #clients: Clients<Req>;
  readonly #mistakes: Mistakes;

  /**
   * Creates an instance.
   *
   * @param caller Name of the limiter's function, for the warnings
   * @param clients Finds a request's client
   * @param validate Which mistakes to look for
   */
  constructor(caller: string, clients: Clients<Req>, validate: Validate | undefined) {
    this.#clients = clients;
    this.#mistakes = new Mistakes(caller, validate);
  }

  /**
   * The address under which a request is counted.
   *
   * @param req The request
   */
  addressOf(req: Req): string | undefined {
    const address = this.#clients.addressOf(req);
    if (this.#mistakes.isDue()) this.#lookAtProxy(req, address);
    return address;
  }

  /**
   * Whether a generated key is the client's address and must be counted as one: a generator that falls back to `req.ip`
   * must not count each address of an IPv6 client separately.
   *
   * @param req The request
   * @param key The key
   */
  isAddressOf(req: Req, key: string): boolean {
    if (this.#mistakes.isDue()) {
      const address = this.#clients.addressOf(req);
      if (containsClient(key, address)) this.#lookAtProxy(req, address);
    }
    if (!key.includes(":")) return false;
    const address = this.#clients.addressOf(req);
    if (key === address) return true;
    this.#mistakes.lookAtKey(key, address);
    return false;
  }

  #lookAtProxy(req: Req, address: string | undefined): void {
    const trust = address === undefined ? null : this.#clients.trustOf(req);
    if (trust !== null) this.#mistakes.lookAtProxy(address!, (name) => this.#clients.header(req, name), trust);
  }
}
