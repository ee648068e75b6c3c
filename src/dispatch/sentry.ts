/** The used part of a scope of Sentry's. */
interface Scope {
  setTransactionName(name: string): unknown;
  /** Its data has the active span until version 10. */
  getScopeData(): { readonly span?: unknown };
  /** Where the active span is from version 11 on. */
  readonly refs?: { readonly span?: { deref?(): unknown } };
}

/** What one version of Sentry's SDK keeps for a process. */
interface Carrier {
  readonly acs?: { getCurrentScope(): Scope; getIsolationScope(): Scope };
  readonly defaultIsolationScope?: Scope;
}

/** Where all copies of Sentry's SDK in a process meet. */
export interface SentryRegistry {
  readonly __SENTRY__?: Readonly<Record<string, Carrier | string>>;
}

/** What Sentry keeps for a request. */
export interface SentryRequest {
  /** Its span; `undefined` if there is none. */
  readonly span: unknown;
  /** Names the errors and messages that are captured for it. */
  setTransactionName(name: string): unknown;
}

/**
 * What Sentry keeps for the present request, which its integration of the server has begun. From version 11 on its
 * spans are not OpenTelemetry's.
 *
 * @returns `null` without Sentry, or if it has begun none
 */
export function sentryRequest(): SentryRequest | null {
  const { __SENTRY__: versions } = globalThis as SentryRegistry;
  if (versions === undefined) return null;
  // each version has scopes of its own; `version` is that of the SDK which came first
  for (const carrier of Object.values(versions)) {
    if (typeof carrier !== "object") continue;
    const { acs, defaultIsolationScope } = carrier;
    const isolation = acs?.getIsolationScope();
    // to name the scope of the whole process would name other requests
    if (acs === undefined || isolation === undefined || isolation === defaultIsolationScope) continue;
    const scope = acs.getCurrentScope();
    return {
      span: scope.getScopeData().span ?? scope.refs?.span?.deref?.(),
      setTransactionName: (name) => isolation.setTransactionName(name),
    };
  }
  return null;
}
