/** The part of a Durable Object's stub that stores use. */
export interface DurableObjectStubLike {
  /** Sends the object a request. */
  fetch(url: string, init: { method: string; body: string }): Promise<DurableObjectResponse>;
}

/** The part of a Durable Object's response that stores read. */
export interface DurableObjectResponse {
  /** Whether the status signals success. */
  readonly ok: boolean;
  /** The status. */
  readonly status: number;
  /** The body. */
  text(): Promise<string>;
}

/** A namespace of Durable Objects, as bound to a Worker. */
export interface DurableObjectNamespaceLike<Id = unknown> {
  /** The id for a name. */
  idFromName(name: string): Id;
  /** A stub for the object with the given id. */
  get(id: Id): DurableObjectStubLike;
}

/**
 * Delay, in ms, from an expiry to an object's alarm. If an alarm sets a new alarm for its own time, workerd drops it,
 * so an object that wakes a moment too early would keep its state forever.
 */
export const ALARM_DELAY_MS = 1000;

/**
 * Sends a question to a Durable Object.
 *
 * @param caller Name of the caller, for error messages
 * @param namespace The namespace of the object
 * @param name Its name
 * @param question Sent as JSON
 * @returns The JSON it responds with
 * @throws {Error} If the response status does not signal success
 */
export async function askDurableObject<Id>(
  caller: string,
  namespace: DurableObjectNamespaceLike<Id>,
  name: string,
  question: object,
): Promise<string> {
  const stub = namespace.get(namespace.idFromName(name));
  // the host is meaningless, but a URL needs one
  const response = await stub.fetch("https://object.invalid/", { method: "POST", body: JSON.stringify(question) });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`${caller}: the Durable Object replied with ${response.status}: ${text}`);
}
