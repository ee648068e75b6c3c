/** A stub of a Durable Object, as far as stores use it. */
export interface DurableObjectStubLike {
  /** Sends the object a request. */
  fetch(url: string, init: { method: string; body: string }): Promise<DurableObjectResponse>;
}

/** A Durable Object's response, as far as stores read it. */
export interface DurableObjectResponse {
  /** Whether the status is one of success. */
  readonly ok: boolean;
  /** The status. */
  readonly status: number;
  /** The body. */
  text(): Promise<string>;
}

/** A namespace of Durable Objects: what a Worker's binding is. */
export interface DurableObjectNamespaceLike<Id = unknown> {
  /** The id that belongs to a name. */
  idFromName(name: string): Id;
  /** A stub of the object with an id. */
  get(id: Id): DurableObjectStubLike;
}

/**
 * ms after an expiry for which the alarm of an object is set. workerd forgets one that an alarm sets to its own time
 * anew, so that an object that wakes a moment too early would keep its state for ever.
 */
export const ALARM_DELAY_MS = 1000;

/**
 * Asks a Durable Object something.
 *
 * @param caller Who asks, for error messages
 * @param namespace The namespace of the object
 * @param name Its name
 * @param question What it gets, as JSON
 * @returns The JSON that it replies with
 * @throws {Error} If the status of its response is none of success
 */
export async function askDurableObject<Id>(
  caller: string,
  namespace: DurableObjectNamespaceLike<Id>,
  name: string,
  question: object,
): Promise<string> {
  const stub = namespace.get(namespace.idFromName(name));
  // the host has no meaning, but a URL needs one
  const response = await stub.fetch("https://object.invalid/", { method: "POST", body: JSON.stringify(question) });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`${caller}: the Durable Object replied with ${response.status}: ${text}`);
}
