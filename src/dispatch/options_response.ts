import { profileKey } from "../exchange/app_profile.ts";
import { exchangeOf } from "../exchange/exchange.ts";
import type { WalkedResponse } from "./routing_target.ts";

interface EndableResponse extends WalkedResponse {
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/**
 * Responds to OPTIONS with the methods that the path's routes handle (RFC 9110 section 9.3.7).
 *
 * @param res The response
 * @param methods The uppercase methods; may repeat
 */
export function respondToOptions(res: WalkedResponse, methods: readonly string[]): void {
  const distinct = [...new Set(methods)];
  const profile = exchangeOf(res)?.app[profileKey];
  if (profile?.sendMethods !== undefined) return profile.sendMethods(res, distinct);
  const list = distinct.sort().join(", ");
  const response = res as EndableResponse;
  response.setHeader("Allow", list);
  response.setHeader("Content-Length", String(list.length));
  response.setHeader("Content-Type", "text/plain");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.end(list);
}
