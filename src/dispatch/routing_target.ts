/** A walk's position in a request's URL: a `Target`, or the adapter for a foreign request. */
export interface RoutingTarget {
  /** Uppercase method. */
  readonly method: string;
  /** Path below the current mount, `undefined` if there is none to match. */
  readonly path: string | undefined;
  /** Length of the path part consumed by mounts. */
  readonly mount: number;
  /** Whether mounts rewrite the request's URL, as in Express. */
  readonly writesUrl: boolean;
  /** Incremented when the method or the path changes. */
  readonly version: number;
  /** The running layer's path parameters, or their placeholder; `undefined` outside layers. */
  params: unknown;
  /** Changes the length of the path part consumed by mounts. */
  consume(length: number): void;
}

/** Properties that a walk sets on a request while it runs. */
export interface WalkedRequest {
  /** The running route. */
  route?: unknown;
  /** Continues with the running router's next layer. */
  next?: unknown;
}

/** The part of a response that a walk uses; foreign responses may lack it. */
export interface WalkedResponse {
  /** Responds with a web `Response` that a handler returned. */
  respondWith?(response: Response): void;
}
