import type { Clients } from "@sluice/limiting";

/** Reads what limits depend on from the requests of a framework. */
export interface RequestReader<Req> extends Clients<Req> {
  /** The method, as it was sent. */
  methodOf(req: Req): string;
  /** The URL, or the target of the request: as it came, whatever the framework has mounted the limiter at. */
  urlOf(req: Req): string;
}
