import type { Exchange } from "../request/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";

/** Key under which what a platform passes beside a request holds the request's surroundings. */
export const surroundingsKey: unique symbol = Symbol.for("sluice.surroundings");

/** What surrounds an application that serves a part of somebody else's requests. */
export interface Surroundings {
  /** The request they surround; an application that this one hands a request on to has none. */
  readonly request: Request;
  /** Runs before the first layer: says where the application is mounted and hands over what was done so far. */
  enter(exchange: Exchange, req: FrameworkRequest, res: FrameworkResponse): void;
  /**
   * Runs when no layer answered, or with the error that none handled.
   *
   * @returns Whether somebody else takes over; otherwise the usual final answer is given
   */
  leave(error: unknown): boolean;
}

/**
 * Finds the surroundings of a request.
 *
 * @param request The request
 * @param info What the platform passed beside it
 * @returns The surroundings, `null` for an application that is alone
 */
export function surroundingsOf(request: Request, info: unknown): Surroundings | null {
  const found = (info as { [surroundingsKey]?: Surroundings } | null | undefined)?.[surroundingsKey];
  return found !== undefined && found.request === request ? found : null;
}
