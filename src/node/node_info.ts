import type { IncomingMessage, ServerResponse } from "node:http";

/** Continues with the surrounding server's next handler, as in Express. */
export type NodeNext = (error?: unknown) => void;

/** The type of `req.info` on Node. */
export interface NodeInfo {
  /** Node's request, or Express's. */
  readonly req: IncomingMessage;
  /** Node's response. */
  readonly res: ServerResponse;
  /** The other end of the connection, in Deno's format. */
  readonly remoteAddr: { hostname: string | undefined; port: number | undefined };
}
