/**
 * Symbols for the methods that a limiter offers to middleware. The public methods have names.
 *
 * @module
 */

/** Symbol for the function that replaces the console. */
export const reportKey: unique symbol = Symbol("sluice.report");

/** Symbol for the limiter's current demand on its store. */
export const demandKey: unique symbol = Symbol("sluice.demand");

/** Symbol for the method that consumes units under a demand. */
export const consumeByKey: unique symbol = Symbol("sluice.check by");

/** Symbol for the method that waits after a refusal. */
export const waitAfterKey: unique symbol = Symbol("sluice.wait after");

/** Symbol for the method that pauses. */
export const pauseKey: unique symbol = Symbol("sluice.pause");

/** Symbol for whether pending work ends with its request. */
export const endsWithRequestsKey: unique symbol = Symbol("sluice.ends with requests");

/** Symbol for whether refusals have no side effects. */
export const refusesFreelyKey: unique symbol = Symbol("sluice.refuses freely");

/** Symbol for the method that checks new limits, and returns a function that applies them. */
export const prepareKey: unique symbol = Symbol("sluice.prepare");
