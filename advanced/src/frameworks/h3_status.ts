/** The parts of errors and responses from which h3 derives a status. */
interface StatusLike {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly cause?: Omit<StatusLike, "cause"> | null;
}

const NOT_FOUND = Symbol.for("h3.notFound");

/**
 * The status of h3's response to a handler's result. Other objects than responses and errors are bodies, whatever their
 * properties.
 *
 * @param value What the handler returned
 * @param prepared The status that the handler set
 */
export function statusOf(value: unknown, prepared?: number): number {
  if (value === NOT_FOUND) return 404;
  if (value instanceof Response) return value.status;
  if (value instanceof Error) {
    const { status, statusCode, cause } = value as StatusLike;
    return validStatus(status || statusCode || cause?.status || cause?.statusCode, 500);
  }
  const isOwn = (value as Record<symbol, unknown> | null | undefined)?.[Symbol.for("h3.HTTPResponse")] === true;
  return validStatus((isOwn ? (value as StatusLike).status : undefined) || prepared, 200);
}

/**
 * The status of h3's response to what a handler threw.
 *
 * @param thrown Usually an error; anything but errors and numbers is an error without a status
 */
export function thrownStatus(thrown: unknown): number {
  if (thrown === NOT_FOUND || thrown instanceof Error) return statusOf(thrown);
  return typeof thrown === "number" ? validStatus(thrown, 500) : 500;
}

function validStatus(status: unknown, usual: number): number {
  const code = Number(status);
  return Number.isInteger(code) && code >= 100 && code <= 599 ? code : usual;
}
