import type { AnyResult } from "./result.ts";

/**
 * An unsuccessful response, thrown by {@linkcode unwrap}.
 *
 * @example Handling one status, and passing on the others
 * ```ts
 * import { type AnyResult, makeClient, ResponseError, unwrap } from "@sluice/openapi/client";
 *
 * const api = makeClient<{ get(path: string): Promise<AnyResult> }>({}, {
 *   fetch: () => Response.json({ title: "no such note" }, { status: 404 }),
 * });
 * const note = await unwrap(api.get("/notes/7")).catch((error: unknown) => {
 *   if (error instanceof ResponseError && error.status === 404) return null;
 *   throw error;
 * });
 * console.log(note); // null
 * ```
 */
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
 * @returns The data from a successful response
 * @throws {ResponseError} If the status is not 200 to 299
 *
 * @example A query for React Query
 * ```ts
 * import { type CallOptions, makeClient, type Success, unwrap } from "@sluice/openapi/client";
 *
 * interface Api {
 *   get(path: "/notes", options: CallOptions): Promise<Success<200, string[]>>;
 * }
 * const api = makeClient<Api>({}, { baseUrl: "https://api.example" });
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
