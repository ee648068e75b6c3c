import { AddressKeys, ClientFinder, IPV6_SUBNET, remedyFor } from "@sluice/limiting";
import { describe, isThenable } from "@sluice/shared";
import type { LimiterKeys } from "../limiter/demand.ts";
import type { Policy } from "../policy/policy.ts";
import type { Awaitable } from "../policy/store.ts";
import type { RateLimitOptions, RequestLimitOptions } from "./http_options.ts";
import type { ResponseOf } from "./request_like.ts";
import type { RequestReader } from "./request_reader.ts";

/** Finds a request's key: the client's address, or the result of `keyGenerator`. */
export class RequestKeys<Req> {
  readonly #caller: string;
  readonly #options: RateLimitOptions<Req>;
  readonly #generate: RateLimitOptions<Req>["keyGenerator"];
  readonly #reader: RequestReader<Req>;
  readonly #finder: ClientFinder<Req>;
  readonly #shared: AddressKeys;
  /** Keys for limits with their own subnet, `null` if there are none. */
  #own: ReadonlyMap<string, AddressKeys> | null = null;

  /**
   * Creates an instance.
   *
   * @param caller Caller name for error messages
   * @param options The user's options
   * @param reader Reads requests
   */
  constructor(caller: string, options: RateLimitOptions<Req>, reader: RequestReader<Req>) {
    this.#caller = caller;
    this.#options = options;
    this.#generate = options.keyGenerator;
    this.#reader = reader;
    this.#finder = new ClientFinder(caller, reader, options.validate);
    this.#shared = this.#keysFor(undefined);
  }

  #keysFor(subnet: number | undefined): AddressKeys {
    const { ipv6Subnet = IPV6_SUBNET, missingKey = "share" } = this.#options;
    return new AddressKeys(subnet ?? ipv6Subnet, missingKey);
  }

  /**
   * Adopts the limits' subnets.
   *
   * @param policies Their policies
   * @param limits Their options
   */
  follow(policies: readonly Policy[], limits: readonly Pick<RequestLimitOptions, "ipv6Subnet">[]): void {
    this.#own = limits.some(({ ipv6Subnet }) => ipv6Subnet !== undefined)
      ? new Map(policies.map(({ name }, i) => [name, this.#keysFor(limits[i]!.ipv6Subnet)]))
      : null;
  }

  /**
   * Returns a request's keys.
   *
   * @param req The request
   * @param res Second argument of `keyGenerator`
   * @throws {TypeError} If `keyGenerator` returns no key
   */
  of(req: Req, res: ResponseOf<Req> | undefined): Awaitable<LimiterKeys> {
    const generate = this.#generate;
    if (generate === undefined) return this.ofAddress(this.#finder.addressOf(req));
    const keys = generate(req, res!);
    return isThenable(keys) ? keys.then((found) => this.#checked(found, req)) : this.#checked(keys, req);
  }

  /** The keys under which the client with an address is counted. */
  ofAddress(address: string | undefined): string | Readonly<Record<string, string>> {
    if (this.#own === null) return this.#shared.of(address);
    return Object.fromEntries(Array.from(this.#own, ([name, clients]) => [name, clients.of(address)]));
  }

  /** A request's client key, for one limit. */
  ofClient(req: Req, limit: string): string {
    return this.#clientsOf(limit).of(this.#finder.addressOf(req));
  }

  #checked(keys: LimiterKeys | undefined, req: Req): LimiterKeys {
    if (typeof keys === "string" && keys !== "") return this.#isAddressOf(req, keys) ? this.ofAddress(keys) : keys;
    if (typeof keys === "object" && keys !== null) {
      const own = (name: string, key: string | null) => {
        return key !== null && this.#isAddressOf(req, key) ? this.#clientsOf(name).of(key) : key;
      };
      return Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, own(name, key)]));
    }
    throw new TypeError(
      `${this.#caller}: keyGenerator must return a non-empty string, or one for each limit by name, not ${
        describe(keys)
      }; ${remedyFor(this.#reader.addressOf(req))}`,
    );
  }

  #isAddressOf(req: Req, key: unknown): boolean {
    return typeof key === "string" && this.#finder.isAddressOf(req, key);
  }

  #clientsOf(limit: string): AddressKeys {
    return this.#own?.get(limit) ?? this.#shared;
  }
}
