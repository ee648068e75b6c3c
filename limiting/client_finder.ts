import { containsClient, Mistakes, type TrustSetting, type Validate } from "./mistakes.ts";

/** How a limiter finds out who sent a request. */
export interface Clients<Req> {
  /** Tells the address of a request's client. */
  addressOf(req: Req): string | undefined;
  /** Reads a header of a request. */
  header(req: Req, name: string): string | undefined;
  /** Which proxies may say who the client is; `null` if that is not known, or the program finds out itself. */
  trustOf(req: Req): TrustSetting | null;
}

/** Finds out which client a request is from, and looks for mistakes after which it would be another one. */
export class ClientFinder<Req> {
  readonly #clients: Clients<Req>;
  readonly #mistakes: Mistakes;

  /**
   * Creates an instance.
   *
   * @param caller Name of the limiter's function, for the warnings
   * @param clients Tells who sent a request
   * @param validate Which mistakes to look for
   */
  constructor(caller: string, clients: Clients<Req>, validate: Validate | undefined) {
    this.#clients = clients;
    this.#mistakes = new Mistakes(caller, validate);
  }

  /**
   * The address that a request is counted by.
   *
   * @param req The request
   */
  addressOf(req: Req): string | undefined {
    const address = this.#clients.addressOf(req);
    if (this.#mistakes.isDue()) this.#lookAtProxy(req, address);
    return address;
  }

  /**
   * Whether a generated key is the address of the request's client, and is to be counted as such: a generator that
   * falls back to `req.ip` must not count every address of an IPv6 client apart.
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
