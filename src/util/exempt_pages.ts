/** Key under which an application tells its pages that limits leave alone: `Symbol.for("sluice.pages")`. */
export const pagesKey: unique symbol = Symbol.for("sluice.pages");

/** The pages of an application that limits leave alone: those for probes, and metrics. */
export interface ExemptPages {
  /**
   * Whether a request leads to one of them, and may pass a limit for it.
   *
   * @param req The request
   */
  exempts(req: object): boolean;
  /**
   * Notes that a request got its response from such a page.
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
 * Whether limits leave a request alone, because it leads to a page that operators depend on.
 *
 * @param req The request, or the context, of any framework; only applications of Sluice have such pages
 */
export function isExempt(req: object): boolean {
  return (req as PagedRequest).app?.[pagesKey]?.exempts(req) ?? false;
}

/**
 * Notes that such a page responds to a request: what was exempted, and ends elsewhere, uses up the exemption.
 *
 * @param req The request
 */
export function noteResponded(req: object): void {
  (req as PagedRequest).app?.[pagesKey]?.responded(req);
}
