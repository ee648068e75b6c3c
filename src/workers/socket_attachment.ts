import { asciiLowerCase } from "../util/ascii.ts";
import type { ObjectSocket } from "./durable_state.ts";

/** Data saved for a connection while its object hibernates. */
export interface Attachment {
  /** Distinguishes it from attachments made by other code. */
  readonly sluice: 1;
  /** Index of the route among the application's WebSocket routes. */
  readonly route: number;
  /** The route's path as registered. */
  readonly path: string;
  /** The selected sub-protocol. */
  readonly protocol: string;
  /** The request's URL. */
  readonly url: string;
  /** Length of the part of the path that mounts consumed. */
  readonly mount: number;
  /** Its saved headers. */
  readonly headers: readonly (readonly [string, string])[];
  /** Path parameters. */
  readonly params: Record<string, unknown>;
  /** Topics to which the connection is subscribed. */
  readonly topics: readonly string[];
  /** The application's own values on `ws.data`. */
  readonly own: Record<string, unknown>;
}

/** Handshake headers, which have no meaning afterwards. */
const HANDSHAKE = /^(?:connection|upgrade|sec-websocket-.*)$/;

/**
 * Selects the request headers to save for a connection.
 *
 * @param headers All request headers
 * @param names Names of the headers to save; by default, all except the handshake's
 */
export function keptHeaders(headers: Headers, names: readonly string[] | undefined): [string, string][] {
  const wanted = names?.map(asciiLowerCase);
  return [...headers].filter(([name]) => wanted?.includes(name) ?? !HANDSHAKE.test(name));
}

/**
 * Saves an attachment on a socket. If it is too large, the longest headers are dropped.
 *
 * @param socket The connection's socket
 * @param attachment The data to save
 * @returns The saved data
 * @throws {TypeError} If a value cannot be saved
 * @throws {RangeError} If it is too large even without headers
 */
export function attach(socket: ObjectSocket, attachment: Attachment): Attachment {
  let fitting = attachment;
  for (;;) {
    try {
      socket.serializeAttachment(fitting);
      return fitting;
    } catch (cause) {
      const { message } = cause as Error;
      if (!message.includes("larger than")) throw notCloneable(attachment, cause as Error);
      if (fitting.headers.length === 0) {
        throw new RangeError(
          `ws.data of "${attachment.path}" is too large to be kept while its Durable Object hibernates; put large ` +
            `values into ctx.storage (${message})`,
          { cause },
        );
      }
      fitting = { ...fitting, headers: withoutLongest(fitting.headers) };
    }
  }
}

/** A socket's attachment, `null` if the socket does not belong to the application. */
export function attached(socket: ObjectSocket): Attachment | null {
  const attachment = socket.deserializeAttachment() as Partial<Attachment> | null | undefined;
  return attachment?.sluice === 1 ? attachment as Attachment : null;
}

function withoutLongest(headers: Attachment["headers"]): Attachment["headers"] {
  const length = ([name, value]: readonly [string, string]) => name.length + value.length;
  const longest = headers.reduce((a, b) => length(b) > length(a) ? b : a);
  return headers.filter((header) => header !== longest);
}

function notCloneable({ params, own }: Attachment, cause: Error): TypeError {
  const values = [
    ...Object.entries(params).map(([name, value]) => [`ws.data.params.${name}`, value] as const),
    ...Object.entries(own).map(([name, value]) => [`ws.data.${name}`, value] as const),
  ];
  const [path] = values.find(([, value]) => !isCloneable(value)) ?? ["ws.data"];
  return new TypeError(
    `${path} cannot be kept while its Durable Object hibernates (${cause.message}); keep values that structuredClone ` +
      "accepts, and any others outside ws.data or under a symbol",
    { cause },
  );
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
