/** Reports an error that nobody else would see. */
export type Report = (error: unknown) => void;

/** The used part of an application of Sluice. */
interface Reporting {
  reportError(error: unknown, context: { req?: object | undefined; phase: "limiter" }): void;
}

/**
 * Where errors of a limiter go that runs in an application of Sluice: to the application's listeners for `error`.
 *
 * @param req The request
 * @param of Whose errors they are: those of this request, or of the limiter, which must not keep the request
 * @returns Reports one; `null` in other frameworks
 */
export function reporterOf(req: unknown, of: "request" | "limiter"): Report | null {
  const { app } = (req ?? {}) as { app?: Partial<Reporting> };
  if (typeof app?.reportError !== "function") return null;
  const context = { req: of === "request" ? req as object : undefined, phase: "limiter" } as const;
  return (error) => app.reportError!(error, context);
}
