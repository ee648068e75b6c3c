/**
 * The limiter for more than one process, beside `@sluice/sluice`.
 *
 * For now it offers the framework's own limiter under the package's name, so that an import can be written today.
 *
 * @module
 */
export { rateLimit, type RateLimitMiddleware, type RateLimitOptions } from "@sluice/sluice";
