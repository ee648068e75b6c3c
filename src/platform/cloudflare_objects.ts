import type { Upgrade, UpgradeOptions } from "./platform.ts";

/** Accepts the WebSockets of one Durable Object, which may sleep while they are open. */
export type ObjectUpgrade = (options: UpgradeOptions) => Upgrade;

const upgrades = new WeakMap<object, ObjectUpgrade>();

/**
 * Says how the WebSockets of a Durable Object are accepted.
 *
 * @param state The object's state, which is also the third argument of its application's `fetch`
 * @param upgrade Accepts one
 */
export function acceptInObject(state: object, upgrade: ObjectUpgrade): void {
  upgrades.set(state, upgrade);
}

/** How a request's WebSocket is accepted if it arrived in such an object, by the platform's third argument. */
export function objectUpgrade(context: unknown): ObjectUpgrade | undefined {
  return typeof context === "object" && context !== null ? upgrades.get(context) : undefined;
}
