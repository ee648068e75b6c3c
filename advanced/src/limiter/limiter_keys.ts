/**
 * Keys of what a limiter does for middleware: programs find what is theirs under names.
 *
 * @module
 */

/** Key of what gets what would go to the console. */
export const reportKey: unique symbol = Symbol("sluice.report");

/** Key of what the limiter demands of its store at present. */
export const demandKey: unique symbol = Symbol("sluice.demand");

/** Key of the method that takes units by a demand. */
export const consumeByKey: unique symbol = Symbol("sluice.check by");

/** Key of the method that waits for what was refused. */
export const waitAfterKey: unique symbol = Symbol("sluice.wait after");

/** Key of the method that waits for some ms. */
export const pauseKey: unique symbol = Symbol("sluice.pause");

/** Key of whether what a request has begun ends with it. */
export const endsWithRequestsKey: unique symbol = Symbol("sluice.ends with requests");

/** Key of whether refusals by policies have no consequences. */
export const refusesFreelyKey: unique symbol = Symbol("sluice.refuses freely");

/** Key of the method that checks other limits, and returns what begins to decide by them. */
export const prepareKey: unique symbol = Symbol("sluice.prepare");
