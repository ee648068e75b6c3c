/** What nginx does with `limit_req zone=… burst=… delay=…`: ngx_http_limit_req_module, in thousandths of a request. */

/** A limit as nginx's configuration has it. */
export interface NginxLimit {
  /** Requests a second. */
  readonly rate: number;
  readonly burst: number;
  readonly delay: number;
}

/**
 * When requests leave nginx.
 *
 * @param limit The limit
 * @param arrivals When they arrive, in ms
 * @returns When each leaves, in ms; `null` if it is refused
 */
export function nginxDepartures({ rate, burst, delay }: NginxLimit, arrivals: readonly number[]): (number | null)[] {
  let last: number | null = null;
  let excess = 0;
  return arrivals.map((at) => {
    // the first request of a client finds nothing, and counts as none in excess
    const now: number = last === null ? 0 : Math.max(0, excess - rate * (at - last) + 1000);
    if (now > burst * 1000) return null;
    [last, excess] = [at, now];
    return now <= delay * 1000 ? at : at + Math.trunc((now - delay * 1000) / rate);
  });
}
