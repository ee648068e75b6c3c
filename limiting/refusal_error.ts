/** Body for a limited response, unless the user sets one. */
export const DEFAULT_MESSAGE: { readonly error: string } = { error: "Too many requests, please try again later." };

/**
 * Ensures that `next` treats a value thrown by a user's function as an error. If passed nothing, `"route"` or
 * `"router"`, `next` would continue after the limiter without counting the request.
 *
 * @param thrown The thrown value
 * @returns The same value, or an error in its place
 */
export function failureOf(thrown: unknown): unknown {
  if (thrown && thrown !== "route" && thrown !== "router") return thrown;
  return new Error(`rateLimit: a function of the options threw ${String(thrown)}; throw an Error`);
}
