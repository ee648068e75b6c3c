import { type EndingResponse, type RequestEnd, type WatchedResponse, whenOver } from "@sluice/limiting";
import type { Decision } from "../limiter/decision.ts";
import type { RequestLike } from "./request_like.ts";
import type { CostOf, RequestOutcome } from "./request_outcome.ts";

/**
 * Settles a request as soon as its Node-style response is over.
 *
 * @param outcome Settles requests
 * @param req The request
 * @param decision The decision about it
 * @param res Its response
 * @param costOf Returns its cost, also when the client disconnects early
 * @returns An object to notify when the handlers are done; `null` if nothing depends on that
 */
export function watchOutcome<Req>(
  outcome: RequestOutcome<Req>,
  req: Req,
  decision: Decision,
  res: EndingResponse,
  costOf: CostOf,
): WatchedResponse | null {
  if (decision.allowed && (outcome.hasSlots || outcome.settles)) {
    return whenOver(res, new LimitedRequest(outcome, req, decision, res, costOf));
  }
  // Only a sent response shows whether the request succeeded. Node's HTTP/2 also emits `finish` for a response that the
  // client has reset.
  if (outcome.mayGetBack(decision)) {
    res.on("finish", () => {
      if (res.writableEnded !== false) proceed(req, outcome.finish(req, decision, res, undefined));
    });
  }
  return null;
}

/** A request to settle when it ends. */
class LimitedRequest<Req> implements RequestEnd {
  readonly #outcome: RequestOutcome<Req>;
  readonly #req: Req;
  readonly #decision: Decision;
  readonly #res: EndingResponse;
  readonly #costOf: CostOf;

  constructor(outcome: RequestOutcome<Req>, req: Req, decision: Decision, res: EndingResponse, costOf: CostOf) {
    this.#outcome = outcome;
    this.#req = req;
    this.#decision = decision;
    this.#res = res;
    this.#costOf = costOf;
  }

  left(): void {
    if (this.#costOf === undefined) return;
    proceed(this.#req, this.#outcome.left(this.#req, this.#decision, this.#costOf));
  }

  begun(): void {
    proceed(this.#req, this.#outcome.release(this.#req, this.#decision));
  }

  over(isComplete: boolean): void {
    const response = isComplete ? this.#res : null;
    proceed(this.#req, this.#outcome.end(this.#req, this.#decision, response, this.#costOf));
  }
}

// Workers and edge functions otherwise cancel store requests once the response is sent
function proceed(req: unknown, work: Promise<void>): void {
  (req as RequestLike).waitUntil?.(work);
}
