/** Where a walk stands in a request's URL; a target is one, and so is a foreign request behind its adapter. */
export interface Position {
  /** Method in capitals. */
  readonly method: string;
  /** Path seen from the present mount, `undefined` when there is none to route by. */
  readonly path: string | undefined;
  /** Characters of the path that mounts have taken. */
  mount: number;
  /** Whether mounts write what they take into the request's URL, as Express does. */
  readonly writesUrl: boolean;
  /** Grows when the method or the path changes. */
  readonly version: number;
  /** Path parameters of the layer being run, `undefined` for none. */
  params: unknown;
  /** Handlers on the stack. */
  depth: number;
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
  /** Answers with a web `Response` that a handler returned. */
  answer?(response: Response): void;
  /** Whether an answer has begun. */
  readonly headersSent?: boolean;
}
