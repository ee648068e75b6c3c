import type { AnyResult } from "./result.ts";

/** An unsuccessful response, thrown by {@linkcode unwrap}. */
export class ResponseError extends Error {
  /** The response. */
  readonly result: AnyResult;

  /**
   * Creates an error for a response.
   *
   * @param result The response
   */
  constructor(result: AnyResult) {
    const { response, status } = result;
    super(`${status}${response.statusText === "" ? "" : ` ${response.statusText}`}`);
    this.name = "ResponseError";
    this.result = result;
  }

  /** Its status. */
  get status(): number {
    return this.result.status;
  }

  /** Its body. */
  get data(): unknown {
    return this.result.data;
  }
}

/**
 * Waits for a call and returns its data, for libraries that expect a rejecting promise, such as React Query and SWR.
 *
 * @param call The call
 * @returns The data of a success
 * @throws {ResponseError} If the status is not 200 to 299
 *
 * @example A query of React Query
 * ```ts
 * import { unwrap } from "@sluice/openapi/client";
 * import type { Success } from "@sluice/openapi/client";
 *
 * declare const api: { get(path: "/notes", options: { signal: AbortSignal }): Promise<Success<200, string[]>> };
 * export const notes = {
 *   queryKey: ["notes"],
 *   queryFn: ({ signal }: { signal: AbortSignal }) => unwrap(api.get("/notes", { signal })),
 * };
 * ```
 */
export async function unwrap<Of extends AnyResult>(call: Promise<Of>): Promise<Extract<Of, { ok: true }>["data"]> {
  const result = await call;
  if (!result.ok) throw new ResponseError(result);
  return result.data;
}
