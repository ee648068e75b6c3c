/** How the parts of a route's requests are serialized, where that differs from the default. */
export interface WireRoute {
  /** The media type for `body`. */
  readonly type?: string;
  /** OpenAPI styles for parameters, by part and name: `{ "query.ids": "pipeDelimited" }`; a star explodes it. */
  readonly styles?: Readonly<Record<string, string>>;
  /** Whether event data is JSON. */
  readonly jsonEvents?: true;
}

/** Routes that differ from the defaults, by method and path: `{ "get /search": { … } }`. */
export type Wire = Readonly<Record<string, WireRoute>>;
