/** Reports an error that would otherwise be lost. */
export type Report = (error: unknown) => void;

/** The part of a Sluice application that is used. */
interface Reporting {
  reportError(error: unknown, context: { req?: object | undefined; phase: "limiter" }): void;
}

/**
 * Returns a function that reports a limiter's errors to the `error` listeners of its Sluice application.
 *
 * @param req The request
 * @param of Whether the errors belong to this request or to the limiter, which must not retain the request
 * @returns The function; `null` in other frameworks
 */
export function reporterOf(req: unknown, of: "request" | "limiter"): Report | null {
  const { app } = (req ?? {}) as { app?: Partial<Reporting> };
  if (typeof app?.reportError !== "function") return null;
  const context = { req: of === "request" ? req as object : undefined, phase: "limiter" } as const;
  return (error) => app.reportError!(error, context);
}
