/** A value's attributes: labels, in Prometheus's terms. */
export type Attributes = Readonly<Record<string, string | number>>;

/** One of a figure's values. */
export interface Sample {
  readonly value: number;
  readonly attributes: Attributes;
}

/** A figure counted elsewhere, and read when metrics are collected. */
export interface Figure {
  /** Its name in OpenTelemetry. */
  readonly name: string;
  /** Whether it only increases, or can also decrease. */
  readonly kind: "counter" | "gauge";
  readonly description: string;
  /** Its unit, in OpenTelemetry's notation. */
  readonly unit: string;
  /** Its current values. */
  read(): readonly Sample[];
}

/** The part of a `@sluice/rate-limit` limiter used here: `rateLimit(…).limiter`, or a `Limiter`. */
export interface CountedLimiter {
  /** Its decisions, by outcome. */
  readonly counters: Readonly<Record<"admitted" | "limited" | "shadowLimited" | "skipped" | "storeFailures", number>>;
  /** Keys in memory. */
  readonly size: number;
}

/** The part of `shedLoad`'s return value used here. */
export interface CountedLoad {
  /** The current figures. */
  readonly figures: {
    readonly admitted: number;
    readonly refused: Readonly<Record<string, number>>;
  };
}

/** The part used here of an application's WebSocket connections. */
export interface CountedConnections {
  /** Number of open connections. */
  readonly size: number;
}

const OUTCOMES = ["admitted", "limited", "shadowLimited", "skipped"] as const;

/**
 * Figures for limiters, under the names that `observe` from `@sluice/rate-limit` uses.
 *
 * @param limiters The limiters by name
 */
export function limiterFigures(limiters: Readonly<Record<string, CountedLimiter>>): Figure[] {
  const all = Object.entries(limiters).map(([name, limiter]) => ({ name: { "rate_limit.name": name }, limiter }));
  if (all.length === 0) return [];
  return [
    {
      name: "rate_limit.requests",
      kind: "counter",
      description: "Requests by outcome",
      unit: "{request}",
      read: () =>
        all.flatMap(({ name, limiter: { counters } }) =>
          OUTCOMES.map((outcome) => ({ value: counters[outcome], attributes: { ...name, outcome } }))
        ),
    },
    {
      name: "rate_limit.store_failures",
      kind: "counter",
      description: "Decisions that the store made too late or not at all",
      unit: "{decision}",
      read: () => all.map(({ name, limiter }) => ({ value: limiter.counters.storeFailures, attributes: name })),
    },
    {
      name: "rate_limit.keys",
      kind: "gauge",
      description: "Keys in memory",
      unit: "{key}",
      read: () => all.map(({ name, limiter }) => ({ value: limiter.size, attributes: name })),
    },
  ];
}

/**
 * Figures from `shedLoad`.
 *
 * @param load Its return value
 */
export function loadFigures(load: CountedLoad): Figure[] {
  return [{
    name: "shed_load.requests",
    kind: "counter",
    description: "Requests admitted, and refused by cause of the overload",
    unit: "{request}",
    read: () => {
      const { admitted, refused } = load.figures;
      const reasons = Object.entries(refused);
      return [
        { value: admitted, attributes: { outcome: "admitted" } },
        ...reasons.map(([reason, value]) => ({ value, attributes: { outcome: "refused", reason } })),
      ];
    },
  }];
}

/**
 * Number of open WebSockets.
 *
 * @param connections Returns the connections; there are no connections before the first request
 */
export function socketFigure(connections: () => CountedConnections | undefined): Figure {
  return {
    name: "websocket.connections",
    kind: "gauge",
    description: "Open WebSocket connections",
    unit: "{connection}",
    read: () => [{ value: connections()?.size ?? 0, attributes: {} }],
  };
}
