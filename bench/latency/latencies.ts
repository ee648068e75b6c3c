/** How long answers took, in ms. */
export interface Latencies {
  /** Half of them took no longer. */
  readonly p50: number;
  /** Nine in ten. */
  readonly p90: number;
  /** Ninety-nine in a hundred. */
  readonly p99: number;
  /** 999 in a thousand. */
  readonly p999: number;
  /** The longest. */
  readonly max: number;
  /** By how much the load itself was late, in 99 of a hundred requests; part of the others. */
  readonly lag: number;
}
