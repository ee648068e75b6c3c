import { describe } from "../../util/error_text.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import { ClientFinder, type Clients } from "../../../limiting/client_finder.ts";
import { AddressKeys, remedyFor } from "../../../limiting/address_keys.ts";
import { trustOf } from "../../../limiting/mistakes.ts";
import type { CheckedRateLimit } from "./options.ts";

const CLIENTS: Clients<FrameworkRequest> = {
  addressOf: (req) => req.ip,
  header: (req, name) => req.get(name),
  trustOf,
};

/** Computes one limiter's keys. */
export class LimiterKey {
  readonly #keyGenerator: CheckedRateLimit["keyGenerator"];
  readonly #clients: AddressKeys;
  readonly #finder: ClientFinder<FrameworkRequest>;

  /** @param options The limiter's options */
  constructor({ keyGenerator, ipv6Subnet, missingKey, validate }: CheckedRateLimit) {
    this.#keyGenerator = keyGenerator;
    this.#finder = new ClientFinder("rateLimit", CLIENTS, validate);
    this.#clients = new AddressKeys(ipv6Subnet, missingKey);
  }

  /**
   * Returns a request's key.
   *
   * @param req The request
   * @param res Its response, passed to the user's function
   * @returns The key; a promise if the user's function returns one
   * @throws {TypeError} If the user's function returns an invalid key, or the client is unknown and `missingKey` is
   * `"error"`
   */
  of(req: FrameworkRequest, res: FrameworkResponse): string | Promise<string> {
    const keyGenerator = this.#keyGenerator;
    if (keyGenerator === undefined) return this.#clients.of(this.#finder.addressOf(req));
    const key = keyGenerator(req, res);
    if (typeof key === "string") return this.#ofGenerated(key, req);
    return Promise.resolve(key).then((later) => this.#ofGenerated(later, req));
  }

  /**
   * Returns the keys under which a client may be counted.
   *
   * @param key An address or a generated key
   * @returns The key itself and, for an address, its client's key
   */
  named(key: string): string[] {
    return key === "" ? [] : [key, this.#clients.of(key)];
  }

  #ofGenerated(key: unknown, req: FrameworkRequest): string {
    const text = checkedKey(key, req);
    return this.#finder.isAddressOf(req, text) ? this.#clients.of(text) : text;
  }
}

function checkedKey(key: unknown, { ip }: FrameworkRequest): string {
  if (typeof key === "string" && key !== "") return key;
  throw new TypeError(
    `rateLimit: keyGenerator must return a non-empty string, not ${describe(key)}; ${remedyFor(ip)}`,
  );
}
