/** A model of nginx's `limit_req zone=… burst=… delay=…`: ngx_http_limit_req_module, in thousandths of a request. */

/** A limit in nginx's terms. */
export interface NginxLimit {
  /** Requests per second. */
  readonly rate: number;
  readonly burst: number;
  readonly delay: number;
}

/**
 * Returns when requests leave nginx.
 *
 * @param limit The limit
 * @param arrivals Arrival times in ms
 * @returns Departure times in ms; `null` if a request is refused
 */
export function nginxDepartures({ rate, burst, delay }: NginxLimit, arrivals: readonly number[]): (number | null)[] {
  let last: number | null = null;
  let excess = 0;
  return arrivals.map((at) => {
    // a client's first request finds no state, and adds no excess
    const now: number = last === null ? 0 : Math.max(0, excess - rate * (at - last) + 1000);
    if (now > burst * 1000) return null;
    [last, excess] = [at, now];
    return now <= delay * 1000 ? at : at + Math.trunc((now - delay * 1000) / rate);
  });
}
