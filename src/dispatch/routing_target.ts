/** Where a walk is in a request's URL: a `Target`, or the adapter of a foreign request. */
export interface RoutingTarget {
  /** Method in capitals. */
  readonly method: string;
  /** Path below the present mount, `undefined` if there is none to match. */
  readonly path: string | undefined;
  /** Length of the part of the path that mounts have consumed. */
  mount: number;
  /** Whether mounts rewrite the request's URL, as in Express. */
  readonly writesUrl: boolean;
  /** Incremented when the method or the path changes. */
  readonly version: number;
  /** Path parameters of the layer being run, or what stands for them; `undefined` outside of layers. */
  params: unknown;
}

/** What a walk sets on a request while it runs. */
export interface WalkedRequest {
  /** The route being run. */
  route?: unknown;
  /** Continues with the next layer of the router being run. */
  next?: unknown;
}

/** What a walk needs of a response; foreign ones may lack it. */
export interface WalkedResponse {
  /** Responds with a web `Response` that a handler returned. */
  respondWith?(response: Response): void;
}
