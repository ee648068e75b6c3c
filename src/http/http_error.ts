import { asciiUpperCase } from "../util/ascii.ts";
import { describe } from "../util/error_text.ts";
import { statusMessage, statusText } from "./status_text.ts";

/**
 * Options for an `HttpError`, besides status and message. Other properties are copied to the error.
 *
 * @example Show clients a 503's message
 * ```ts
 * import { HttpError } from "@sluice/sluice";
 *
 * const cause = new Error("connection refused");
 * const error = new HttpError(503, "Come back later", { cause, expose: true, headers: { "Retry-After": "30" } });
 * console.log(error.status, error.expose); // 503 true
 * ```
 */
export interface HttpErrorOptions {
  /** The underlying error. */
  cause?: unknown;
  /** Whether clients may see the message; by default for statuses below 500. */
  expose?: boolean;
  /** Headers for the response. */
  headers?: Record<string, string>;
  /** Machine-readable kind, such as `entity.too.large`. */
  type?: string;
  /** Problem details as JSON (RFC 9457), sent to clients that do not prefer HTML unless an error handler responds. */
  problem?: object;
  /** Any other property for the error. */
  [extra: string]: unknown;
}

/**
 * An error that becomes a response with the error's status.
 *
 * @example Respond with 404 from anywhere inside a handler
 * ```ts
 * import sluice, { HttpError } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/notes/:id", (req) => {
 *   throw new HttpError(404, `There is no note ${req.params.id}`);
 * });
 *
 * const response = await app.inject("/notes/7", { headers: { accept: "application/json" } });
 * console.log(response.status); // 404
 * ```
 */
export class HttpError extends Error {
  /** Response status, 400 to 599. */
  declare readonly status: number;
  /** The same, under the name Node's libraries use. */
  declare readonly statusCode: number;
  /** Whether clients may see the message. */
  declare readonly expose: boolean;
  /** Headers for the response. */
  declare readonly headers?: Record<string, string>;
  /** Machine-readable kind. */
  declare readonly type?: string;

  /**
   * Creates an error with a status.
   *
   * @param status Response status, 400 to 599
   * @param message Description of the error; the status text by default
   * @param options Further properties
   * @throws {RangeError} If the status is not from 400 to 599
   */
  constructor(status: number, message?: string, options: HttpErrorOptions = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`HttpError expects a status from 400 to 599, not ${describe(status)}`);
    }
    const { cause, expose, ...extra } = options;
    super(message ?? statusMessage(status), cause === undefined ? undefined : { cause });
    const hidden = { status, statusCode: status, expose: expose ?? status < 500, name: nameOf(status) };
    for (const [key, value] of Object.entries(hidden)) {
      Object.defineProperty(this, key, { value, configurable: true, writable: true });
    }
    // enumerable, so it is part of the error's JSON, as with http-errors
    Object.defineProperty(this, "message", { enumerable: true });
    Object.assign(this, extra);
  }
}

// names from http-errors, which error handlers compare against
function nameOf(status: number): string {
  const text = status === 418 ? "ImATeapot" : statusText(status) ?? (status < 500 ? "Client" : "Server");
  const name = text.replace(/[^A-Za-z ]/g, "").replace(/(?:^| )([a-zA-Z])/g, (_, letter) => asciiUpperCase(letter));
  return name.endsWith("Error") ? name : `${name}Error`;
}

/**
 * Adds response details to an error. The error keeps its identity, so error handlers recognize it.
 *
 * @param thrown The thrown value; anything except an error is wrapped in one
 * @param status Response status, unless the error has one from 400 to 599
 * @param type Machine-readable kind, unless the error has one
 * @param extra Further properties
 * @returns The error
 */
export function annotated(thrown: unknown, status: number, type: string, extra: object = {}): Error {
  const error = (thrown instanceof Error ? thrown : new Error(String(thrown))) as Error & Record<string, unknown>;
  const given = error["status"] ?? error["statusCode"];
  const known = typeof given === "number" && given >= 400 && given <= 599 ? given : status;
  if (error instanceof HttpError) return Object.assign(error, { ...extra, type: error.type ?? type });
  return Object.assign(error, {
    status: known,
    statusCode: known,
    expose: known < 500,
    ...extra,
    type: error["type"] ?? type,
  });
}
