/** Minimum measurement window, in ms. */
const WINDOW_MS = 100;
/** Minimum window, in multiples of the last latency. */
const WINDOW_LATENCIES = 2;
/** Minimum number of requests in a window: a mean over fewer is unreliable. */
const WINDOW_SAMPLES = 50;
/** A window continues until the standard error is at most this fraction of the mean. */
const WINDOW_ERROR = 0.07;
/** Once it has enough requests, a window lasts no longer than this, in ms. */
const LONGEST_WINDOW_MS = 5000;
/** The weight of a window in the long-term latency, which covers about 600 windows. */
const LONG_TERM = 2 / 601;
/** How far latency may exceed the long-term one before the limit shrinks. */
const TOLERANCE = 1.2;
/** Minimum fraction of the queue allowance, for servers whose requests all take equally long. */
const LEAST_ALLOWANCE = 0.5;
/** The weight of a new limit. */
const SMOOTHING = 0.2;
/** After this many windows at the limit, the latency without a queue is measured again. */
const PROBE_EVERY = 100;
/** It is also measured once the limit is below this fraction of its maximum since then: lowering it has not helped. */
const PROBE_BELOW = 0.6;
/** Fraction of the limit during a probe. */
const PROBE_PART = 0.6;
/** Requests that end within this many latencies are not measured: they waited behind earlier requests. */
const PROBE_LATENCIES = 3;
/** In slow start, minimum time between two doublings, in ms. */
const DOUBLE_EVERY_MS = 50;
/** In slow start, minimum number of requests in a window. */
const SLOW_START_SAMPLES = 20;
/** In slow start, requests that the long-term latency covers. */
const SLOW_START_MEMORY = 1000;
/** In slow start, requests above this multiple of the long-term latency have waited. */
const QUEUE = 2;
/** In slow start, throughput below this fraction of its maximum confirms a queue. */
const DROP = 0.7;
/** Throughput at the end of slow start is so uncertain that a queue may take this many times as long to drain. */
const DRAIN = 1.5;
/** After slow start, requests that take less than this many times the long-term latency have not waited. */
const NO_QUEUE = 1.05;
/** After this many such windows in a row with refused requests, a probe decides whether the limit doubles. */
const PROBE_AFTER = 6;

/**
 * Finds how many requests a server can process at once, from their latency.
 *
 * The algorithm is Gradient2 from Netflix's concurrency-limits (`Gradient2Limit.java`, and the article "Performance
 * Under Load", 2018), with its smoothing and windows. The limit is multiplied by a ratio between 0.5 and 1: the
 * long-term latency plus a tolerance, divided by the latency of one window. A queue allowance is added: the square root
 * of the limit, as in its predecessor, or less if latencies hardly differ.
 *
 * In a permanently overloaded server, the long-term average comes to include the queue, and the limit grows without
 * bound. So here it does not rise while requests reach the limit. Instead, the limit is lowered occasionally to measure
 * the latency without a queue, as Envoy's gradient controller does for its `minRTT`. The tolerance above that minimum
 * is smaller than above an average (docs/decisions/0054-adaptive-concurrency.md).
 *
 * Initially the limit is in slow start, like TCP's congestion window. It doubles for requests that it would refuse,
 * until requests take longer than those that began before the limit was first reached. No request may have ended by
 * then, so its growth does not depend on counting responses (docs/decisions/0069-slow-start.md).
 */
export class Gradient2 {
  readonly #min: number;
  readonly #max: number;
  #estimate: number;
  /** Latency without a queue, as far as known. */
  #long = 0;
  #short = 0;
  #sum = 0;
  #squares = 0;
  /** How much latencies differ: their standard deviation as a fraction of their mean. */
  #variation = 1;
  #count = 0;
  #mostInFlight = 0;
  #endOfWindow = -Infinity;
  #latestEnd = -Infinity;
  /** Windows at the limit since the last probe, and the maximum limit since. */
  #windows = 0;
  #greatest: number;
  /** Whether a probe is running, and when its measurement starts. */
  #isProbing = false;
  #measuringFrom = 0;
  /** Latency before the probe. */
  #before = 0;
  /**
   * Whether requests were refused, or would have been, in this window; and how many such windows in a row had no queue.
   */
  #isPressed = false;
  #unqueued = 0;
  /**
   * Slow start: whether it is active, when it may double again, when it first did, and how many requests it has
   * measured.
   */
  #isSlowStart = true;
  #doublesFrom = -Infinity;
  #firstPress = Infinity;
  #measured = 0;
  /** Recent throughput in requests per ms, and its maximum in slow start. */
  #windowFrom = NaN;
  #perMs = 0;
  #mostPerMs = 0;

  /**
   * Creates an instance.
   *
   * @param initial The initial limit
   * @param min The minimum
   * @param max The maximum
   */
  constructor(initial: number, min: number, max: number) {
    this.#estimate = this.#greatest = initial;
    this.#min = min;
    this.#max = max;
  }

  /** The current limit on requests in progress. */
  get limit(): number {
    return Math.max(this.#min, Math.floor(this.#isProbing ? this.#estimate * PROBE_PART : this.#estimate));
  }

  /** Mean latency in the last window, in ms; 0 before the first. */
  get latencyMs(): number {
    return this.#short;
  }

  /** The latency that the mean is compared with, in ms. */
  get baselineMs(): number {
    return this.#long;
  }

  /**
   * Records that a request is about to be refused; in slow start, raises the limit instead.
   *
   * @param now The current time in ms
   */
  press(now: number): void {
    this.#isPressed = true;
    if (!this.#isSlowStart || this.#isProbing) return;
    this.#firstPress = Math.min(this.#firstPress, now);
    if (this.#short > QUEUE * this.#long) return this.#endSlowStart(now, this.#estimate);
    if (now < this.#doublesFrom) return;
    this.#doublesFrom = now + DOUBLE_EVERY_MS;
    this.#greatest = this.#estimate = Math.min(this.#max, this.#estimate * 2);
  }

  /**
   * Records a request that has ended.
   *
   * @param began When it began, in ms
   * @param now When it ended
   * @param inFlight Requests in progress until then, including this one
   */
  note(began: number, now: number, inFlight: number): void {
    // until then, the requests that end have waited behind too many other requests
    if (this.#isProbing && now < this.#measuringFrom) return;
    const latency = Math.max(0, now - began);
    if (Number.isNaN(this.#windowFrom)) this.#windowFrom = began;
    if (this.#isSlowStart && began <= this.#firstPress) {
      this.#long += (latency - this.#long) / Math.min(++this.#measured, SLOW_START_MEMORY);
    }
    this.#sum += latency;
    this.#squares += latency * latency;
    this.#count++;
    this.#mostInFlight = Math.max(this.#mostInFlight, inFlight);
    if (now < this.#endOfWindow || this.#count < this.#leastSamples) return;
    // a coarse clock must not cause a division by 0
    const mean = Math.max(this.#sum / this.#count, 0.001);
    const variation = Math.sqrt(Math.max(0, this.#squares / this.#count / mean ** 2 - 1));
    if (variation > WINDOW_ERROR * Math.sqrt(this.#count) && now < this.#latestEnd) return;
    const mostInFlight = this.#mostInFlight;
    this.#short = mean;
    this.#variation = variation;
    const perMs = this.#count / Math.max(now - this.#windowFrom, 0.001);
    this.#perMs += (perMs - this.#perMs) * (this.#perMs === 0 ? 1 : SMOOTHING);
    this.#beginWindow(now);
    if (this.#isProbing) this.#endProbe();
    else if (this.#isSlowStart) this.#watchSlowStart(now, mostInFlight);
    else this.#update(now, mostInFlight);
    this.#isPressed = false;
  }

  #beginWindow(now: number): void {
    this.#windowFrom = now;
    this.#sum = this.#squares = 0;
    this.#count = this.#mostInFlight = 0;
    this.#endOfWindow = now + Math.max(WINDOW_MS, this.#isSlowStart ? 0 : WINDOW_LATENCIES * this.#short);
    this.#latestEnd = now + LONGEST_WINDOW_MS;
  }

  get #leastSamples(): number {
    return this.#isSlowStart && !this.#isProbing ? SLOW_START_SAMPLES : WINDOW_SAMPLES;
  }

  /**
   * Clients that wait for their responses may never reach the limit, even if there are too many; then throughput falls.
   */
  #watchSlowStart(now: number, mostInFlight: number): void {
    this.#mostPerMs = Math.max(this.#mostPerMs, this.#perMs);
    if (mostInFlight < this.#estimate / 2) this.#long += (this.#short - this.#long) * LONG_TERM;
    if (mostInFlight < this.#estimate / 2 || this.#short <= TOLERANCE * this.#long) return;
    if (this.#short > QUEUE * this.#long) {
      if (this.#perMs < DROP * this.#mostPerMs) this.#endSlowStart(now, mostInFlight);
      // it cannot double, so requests may never take long enough to end it
    } else if (this.#isPressed && this.#estimate === this.#max) this.#isSlowStart = false;
  }

  #endSlowStart(now: number, inFlight: number): void {
    // by Little's law, this many are in progress without a queue; the rest is the queue allowance
    const unqueued = this.#mostPerMs * this.#long;
    this.#estimate = Math.max(this.#min, Math.min(this.#estimate, unqueued + Math.sqrt(unqueued)));
    // without refusals, a higher limit is not needed
    if (!this.#isPressed) this.#greatest = this.#estimate;
    // requests in progress end first, however many there are
    const drainMs = DRAIN * inFlight / this.#perMs;
    this.#beginProbe(now + drainMs + PROBE_LATENCIES * this.#long);
  }

  #update(now: number, mostInFlight: number): void {
    const isBound = mostInFlight >= this.#estimate / 2;
    this.#remember(isBound);
    // without enough load, there is no evidence for a different limit
    if (!isBound) return;
    const gradient = Math.max(0.5, Math.min(1, TOLERANCE * this.#long / this.#short));
    const allowance = Math.sqrt(this.#estimate) * Math.max(LEAST_ALLOWANCE, Math.min(1, this.#variation));
    const next = this.#estimate * gradient + allowance;
    const smooth = this.#estimate * (1 - SMOOTHING) + next * SMOOTHING;
    // a limit that is never reached is high enough
    const most = this.#isPressed ? this.#max : this.#estimate;
    this.#estimate = Math.max(this.#min, Math.min(most, smooth));
    this.#greatest = Math.max(this.#greatest, this.#estimate);
    this.#unqueued = this.#isPressed && this.#short < NO_QUEUE * this.#long ? this.#unqueued + 1 : 0;
    const isDue = ++this.#windows >= PROBE_EVERY || this.#unqueued >= PROBE_AFTER;
    if (isDue || this.#estimate < this.#greatest * PROBE_BELOW) {
      this.#beginProbe(now + PROBE_LATENCIES * this.#short);
    }
  }

  #beginProbe(measuringFrom: number): void {
    this.#isProbing = true;
    this.#before = this.#short;
    this.#measuringFrom = measuringFrom;
    this.#beginWindow(measuringFrom);
  }

  #remember(isBound: boolean): void {
    if (this.#short < this.#long) this.#long += (this.#short - this.#long) * SMOOTHING;
    else if (!isBound) this.#long += (this.#short - this.#long) * LONG_TERM;
    // after a long time under load, as in Netflix's code
    if (this.#long > this.#short * 2) this.#long *= 0.95;
  }

  #endProbe(): void {
    // if requests also take longer without a queue, there was no reason to lower it
    this.#estimate = Math.min(this.#greatest, this.#estimate * Math.max(1, this.#short / this.#long));
    this.#long = this.#short;
    // requests take as long with fewer in progress: the limit is too low
    const isShort = this.#unqueued >= PROBE_AFTER && this.#before < NO_QUEUE * this.#short;
    if (isShort) this.#estimate = Math.min(this.#max, this.#estimate * 2);
    this.#isSlowStart = this.#isProbing = false;
    this.#windows = this.#unqueued = 0;
    this.#greatest = this.#estimate;
  }
}
