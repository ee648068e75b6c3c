/** The part of an event from HTTP APIs (payload 2.0) and function URLs used here. */
export interface LambdaEventV2 {
  /** The path; decoded by HTTP APIs. */
  readonly rawPath: string;
  /** The query, exactly as the client sent it. */
  readonly rawQueryString?: string;
  /** The cookies, separately. */
  readonly cookies?: readonly string[] | null;
  /** The headers by lowercase name, with repeated ones joined. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  /** The body, as a string or in base64. */
  readonly body?: string | null;
  /** Whether the body is in base64. */
  readonly isBase64Encoded?: boolean;
  /** The gateway's information about the request. */
  readonly requestContext: {
    /** The gateway's host name. */
    readonly domainName?: string;
    /** Method and client. */
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
}

/** The part of an event from REST APIs, HTTP APIs (payload 1.0) and load balancers used here. */
export interface LambdaEventV1 {
  /** `1.0` from HTTP APIs. */
  readonly version?: string;
  /** The method. */
  readonly httpMethod: string;
  /** The path; decoded by HTTP APIs. */
  readonly path: string;
  /** The last value of each query parameter. */
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null;
  /** All values of each query parameter. */
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[] | undefined>> | null;
  /** The last value of each header. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  /** All values of each header. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null;
  /** The body, as a string or in base64. */
  readonly body?: string | null;
  /** Whether the body is in base64. */
  readonly isBase64Encoded?: boolean;
  /** The gateway's information about the request. */
  readonly requestContext: {
    /** The gateway's host name. */
    readonly domainName?: string;
    /** The client, from API Gateway. */
    readonly identity?: { readonly sourceIp?: string | null };
    /** Present only from load balancers. */
    readonly elb?: unknown;
  };
}

/** An HTTP request as Lambda delivers it. */
export type LambdaEvent = LambdaEventV2 | LambdaEventV1;

/**
 * Returns whether an event has the payload 2.0 shape.
 *
 * @param event The event
 */
export function isV2(event: LambdaEvent): event is LambdaEventV2 {
  return "http" in event.requestContext;
}

/**
 * Returns whether an event came from a load balancer.
 *
 * @param event The event
 */
export function isBalancer(event: LambdaEvent): boolean {
  return "elb" in event.requestContext;
}

/**
 * Asserts that an event is an HTTP request.
 *
 * @param caller Name of the function that created the handler, for the message
 * @param event The event
 * @returns The event
 * @throws {TypeError} If it is something else, such as queue messages or a schedule
 */
export function httpEvent(caller: string, event: unknown): LambdaEvent {
  const { requestContext, httpMethod } = (event ?? {}) as Partial<LambdaEventV1>;
  const isHttp = typeof requestContext === "object" && requestContext !== null &&
    ("http" in requestContext || typeof httpMethod === "string");
  if (isHttp) return event as LambdaEvent;
  throw new TypeError(
    `${caller} handles HTTP events of API Gateway, function URLs and load balancers, not ${named(event)}; ` +
      "use a separate handler for other events",
  );
}

function named(event: unknown): string {
  if (typeof event !== "object" || event === null) return String(event);
  const { source, Records } = event as {
    source?: unknown;
    Records?: { eventSource?: unknown; EventSource?: unknown }[];
  };
  const from = source ?? Records?.[0]?.eventSource ?? Records?.[0]?.EventSource;
  return from === undefined ? `one with the fields ${Object.keys(event).join(", ") || "(none)"}` : `one from ${from}`;
}
