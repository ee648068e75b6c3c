/**
 * Tools for testing rate limiters: a clock you control, a store that fails on demand, the contract every store must
 * meet, and a reference model for stores. Works with any test runner.
 *
 * @example Test your own store against the contract
 * ```ts ignore
 * import { MemoryStore } from "@sluice/rate-limit";
 * import { storeContract } from "@sluice/rate-limit/testing";
 *
 * storeContract({
 *   name: "MyStore",
 *   make: (clock) => Promise.resolve({ store: new MemoryStore({ clock: clock.read }) }),
 * }, Deno.test);
 * ```
 *
 * @module
 */
export { VirtualClock } from "./src/testing/virtual_clock.ts";
export { ReferenceModel } from "./src/testing/reference_model.ts";
export { type Fault, FaultyStore } from "./src/testing/faulty_store.ts";
export {
  type ContractStore,
  type ContractSubject,
  type RegisterTest,
  storeContract,
  type StoreContractOptions,
} from "./src/testing/store_contract.ts";
export type { Timers } from "./src/wrappers/timers.ts";
export type { AlgorithmName, Block, OnDenied, Policy } from "./src/policy/policy.ts";
export type { Awaitable, Capabilities, Entry, Selector, Store, Take, Verdict } from "./src/policy/store.ts";
