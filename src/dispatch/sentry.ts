/** The part of a Sentry scope used here. */
interface Scope {
  setTransactionName(name: string): unknown;
  /** Returns data with the active span, up to version 10. */
  getScopeData(): { readonly span?: unknown };
  /** Holds the active span, in version 11 or later. */
  readonly refs?: { readonly span?: { deref?(): unknown } };
}

/** Per-process state kept by one version of Sentry's SDK. */
interface Carrier {
  readonly acs?: { getCurrentScope(): Scope; getIsolationScope(): Scope };
  readonly defaultIsolationScope?: Scope;
}

/** Shared by all Sentry SDK copies in a process. */
export interface SentryRegistry {
  readonly __SENTRY__?: Readonly<Record<string, Carrier | string>>;
}

/** Sentry's state for a request. */
export interface SentryRequest {
  /** Its span; `undefined` if there is none. */
  readonly span: unknown;
  /** Names the errors and messages captured for the request. */
  setTransactionName(name: string): unknown;
}

/**
 * Returns Sentry's state for the current request, created by its server integration. In version 11 and later, its spans
 * are not OpenTelemetry's.
 *
 * @returns `null` without Sentry, or if it has created no state
 */
export function sentryRequest(): SentryRequest | null {
  const { __SENTRY__: versions } = globalThis as SentryRegistry;
  if (versions === undefined) return null;
  // each version has its own scopes; `version` is the first loaded SDK's
  for (const carrier of Object.values(versions)) {
    if (typeof carrier !== "object") continue;
    const { acs, defaultIsolationScope } = carrier;
    const isolation = acs?.getIsolationScope();
    // naming the process-wide scope would name other requests
    if (acs === undefined || isolation === undefined || isolation === defaultIsolationScope) continue;
    const scope = acs.getCurrentScope();
    return {
      span: scope.getScopeData().span ?? scope.refs?.span?.deref?.(),
      setTransactionName: (name) => isolation.setTransactionName(name),
    };
  }
  return null;
}
