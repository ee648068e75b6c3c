/** How the parts of a route's requests are written, where that is not the usual way. */
export interface WireRoute {
  /** Media type of `body`. */
  readonly type?: string;
  /** OpenAPI's style of parameters, by part and name: `{ "query.ids": "pipeDelimited" }`; a star explodes it. */
  readonly styles?: Readonly<Record<string, string>>;
  /** Whether the data of events is JSON. */
  readonly jsonEvents?: true;
}

/** The routes that differ from the usual, by method and path: `{ "get /search": { … } }`. */
export type Wire = Readonly<Record<string, WireRoute>>;
