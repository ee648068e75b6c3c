/** Body of a limited response, unless the user sets one. */
export const DEFAULT_MESSAGE: { readonly error: string } = { error: "Too many requests, please try again later." };

/**
 * Makes sure that `next` takes what a user's function threw for an error: with nothing, `"route"` or `"router"` it
 * would continue after the limiter, without the request being counted.
 *
 * @param thrown What was thrown
 * @returns The same, or an error in its place
 */
export function failureOf(thrown: unknown): unknown {
  if (thrown && thrown !== "route" && thrown !== "router") return thrown;
  return new Error(`rateLimit: a function of the options threw ${String(thrown)}; throw an Error`);
}
