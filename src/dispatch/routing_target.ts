/** The position of a walk in a request's URL: a `Target`, or the adapter of a foreign request. */
export interface RoutingTarget {
  /** Uppercase method. */
  readonly method: string;
  /** Path below the current mount, `undefined` if there is none to match. */
  readonly path: string | undefined;
  /** Length of the part of the path consumed by mounts. */
  mount: number;
  /** Whether mounts rewrite the request's URL, as in Express. */
  readonly writesUrl: boolean;
  /** Incremented when the method or the path changes. */
  readonly version: number;
  /** Path parameters of the running layer, or their placeholder; `undefined` outside of layers. */
  params: unknown;
}

/** Properties that a walk sets on a request while it runs. */
export interface WalkedRequest {
  /** The running route. */
  route?: unknown;
  /** Continues with the next layer of the running router. */
  next?: unknown;
}

/** The part of a response that a walk needs; foreign ones may lack it. */
export interface WalkedResponse {
  /** Responds with a web `Response` that a handler returned. */
  respondWith?(response: Response): void;
}
