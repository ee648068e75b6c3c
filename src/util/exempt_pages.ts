/** Key under which an application reports its pages exempt from limits: `Symbol.for("sluice.pages")`. */
export const pagesKey: unique symbol = Symbol.for("sluice.pages");

/** An application's pages that are exempt from limits: those for probes and metrics. */
export interface ExemptPages {
  /**
   * Whether a request leads to one of these pages and may bypass a limit.
   *
   * @param req The request
   */
  exempts(req: object): boolean;
  /**
   * Records that such a page responded to a request.
   *
   * @param req The request
   */
  responded(req: object): void;
}

/** A request, whose application may have such pages. */
interface PagedRequest {
  readonly app?: { readonly [pagesKey]?: ExemptPages | null } | null;
}

/**
 * Whether a request is exempt from limits, because it leads to a page that operators depend on.
 *
 * @param req Any framework's request or context; only Sluice's applications have such pages
 */
export function isExempt(req: object): boolean {
  return (req as PagedRequest).app?.[pagesKey]?.exempts(req) ?? false;
}

/**
 * Records that such a page responds to a request; an exempted request that ends elsewhere uses up the exemption.
 *
 * @param req The request
 */
export function noteResponded(req: object): void {
  (req as PagedRequest).app?.[pagesKey]?.responded(req);
}
