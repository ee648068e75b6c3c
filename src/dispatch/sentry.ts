/** The part of a Sentry scope used here. */
interface Scope {
  setTransactionName(name: string): unknown;
  /** Returns data with the active span, up to version 10. */
  getScopeData(): { readonly span?: unknown };
  /** Holds the active span, from version 11 on. */
  readonly refs?: { readonly span?: { deref?(): unknown } };
}

/** State that one version of Sentry's SDK keeps for a process. */
interface Carrier {
  readonly acs?: { getCurrentScope(): Scope; getIsolationScope(): Scope };
  readonly defaultIsolationScope?: Scope;
}

/** Shared by all copies of Sentry's SDK in a process. */
export interface SentryRegistry {
  readonly __SENTRY__?: Readonly<Record<string, Carrier | string>>;
}

/** Sentry's state for a request. */
export interface SentryRequest {
  /** Its span; `undefined` if there is none. */
  readonly span: unknown;
  /** Names the errors and messages captured for it. */
  setTransactionName(name: string): unknown;
}

/**
 * Returns Sentry's state for the current request, created by its server integration. From version 11 on its spans are
 * not OpenTelemetry's.
 *
 * @returns `null` without Sentry, or if it has created none
 */
export function sentryRequest(): SentryRequest | null {
  const { __SENTRY__: versions } = globalThis as SentryRegistry;
  if (versions === undefined) return null;
  // each version has its own scopes; `version` is that of the first SDK loaded
  for (const carrier of Object.values(versions)) {
    if (typeof carrier !== "object") continue;
    const { acs, defaultIsolationScope } = carrier;
    const isolation = acs?.getIsolationScope();
    // naming the scope of the whole process would name other requests
    if (acs === undefined || isolation === undefined || isolation === defaultIsolationScope) continue;
    const scope = acs.getCurrentScope();
    return {
      span: scope.getScopeData().span ?? scope.refs?.span?.deref?.(),
      setTransactionName: (name) => isolation.setTransactionName(name),
    };
  }
  return null;
}
