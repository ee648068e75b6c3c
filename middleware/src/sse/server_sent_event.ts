import { describe } from "@sluice/shared";

/** An event, as an `EventSource` receives it. */
export interface ServerSentEvent {
  /**
   * Its data: strings unchanged, anything else as JSON. An event without data only sets `id` or `retry`, and reaches no
   * listener.
   */
  data?: unknown;
  /** Its type, which listeners register for; `message` by default. */
  event?: string;
  /** Its id: a client that reconnects sends the last one it got. */
  id?: string;
  /** Delay before the client reconnects if the connection ends, in ms. */
  retry?: number;
}

/**
 * Formats an event as in the HTML standard, "Server-sent events" (9.2.6).
 *
 * @param event The event; a string is its data
 * @throws {TypeError} If a field is of the wrong type, or has a line break, which would start a new field
 * @throws {RangeError} If `retry` is not a whole number of ms
 */
export function eventText(event: ServerSentEvent | string): string {
  if (typeof event === "string") return `${field("data", event)}\n`;
  if (typeof event !== "object" || event === null) {
    throw new TypeError(`events.send expects a string or { id, event, data, retry }, not ${describe(event)}`);
  }
  const { id, event: kind, data, retry } = event;
  let text = "";
  if (kind !== undefined) text += `event: ${oneLine("event", kind)}\n`;
  if (id !== undefined) text += `id: ${identifier(id)}\n`;
  if (retry !== undefined) text += `retry: ${milliseconds(retry)}\n`;
  if (data !== undefined) text += field("data", typeof data === "string" ? data : json(data));
  if (text === "") throw new TypeError("events.send: an event must have at least one of id, event, data and retry");
  return `${text}\n`;
}

/**
 * Formats a comment, which clients ignore.
 *
 * @param comment The comment
 */
export function commentText(comment: string): string {
  return `${field("", comment)}\n`;
}

// one field per line of text, because a line break ends the field; the client joins them again
function field(name: string, text: string): string {
  return text.split(/\r\n|\r|\n/).map((line) => `${name}: ${line}\n`).join("");
}

function json(data: unknown): string {
  const text = JSON.stringify(data);
  if (text === undefined) {
    throw new TypeError(`events.send: data must be a string or a JSON value, not ${describe(data)}`);
  }
  return text;
}

function oneLine(name: string, value: unknown): string {
  if (typeof value !== "string" || /[\r\n]/.test(value)) {
    throw new TypeError(`events.send: ${name} must be a string without line breaks, not ${describe(value)}`);
  }
  return value;
}

// clients ignore an id with a NUL
function identifier(id: unknown): string {
  const text = oneLine("id", id);
  if (text.includes("\0")) throw new TypeError(`events.send: id must have no NUL character, not ${describe(id)}`);
  return text;
}

function milliseconds(retry: unknown): number {
  if (typeof retry === "number" && Number.isSafeInteger(retry) && retry >= 0) return retry;
  throw new RangeError(`events.send: retry must be a whole number of ms, not ${describe(retry)}`);
}
