/** How far an exchange has progressed, or how it ended. Whether it has a response yet is tracked separately. */
export type ExchangeState =
  /** Its handlers are running, or its response is being passed on. */
  | "open"
  /** It is becoming, or has become, a WebSocket, and ends with the connection. */
  | "upgrading"
  /** The whole response was passed to the platform. */
  | "finished"
  /** The client disconnected before that, or the server was closed. */
  | "aborted"
  /** The request body was cut off before that. */
  | "lost"
  /** The program broke it off in the middle of the response. */
  | "brokenOff"
  /** The program broke it off before there was a response. */
  | "unanswered";

/** Exchange events. */
export type ExchangeEvent = "finish" | "abort" | "lose" | "breakOff" | "breakOffFirst" | "upgrade" | "decline";

/** A state's properties and transitions. Unlisted events change nothing. */
interface StateRow {
  /** Whether the exchange is over. */
  readonly isOver: boolean;
  /** Whether it ended before its response was complete. */
  readonly isAborted: boolean;
  /** The next state by event. */
  readonly after: Readonly<Partial<Record<ExchangeEvent, ExchangeState>>>;
}

const ENDS = {
  finish: "finished",
  abort: "aborted",
  lose: "lost",
  breakOff: "brokenOff",
  breakOffFirst: "unanswered",
} as const;

const ABORTED: StateRow = { isOver: true, isAborted: true, after: {} };

/**
 * The states and their transitions. The first end counts: a handler that destroys its request may still end the
 * response, but that is not a success.
 */
export const STATES: Readonly<Record<ExchangeState, StateRow>> = {
  open: { isOver: false, isAborted: false, after: { ...ENDS, upgrade: "upgrading" } },
  // the handshake may be declined
  upgrading: { isOver: false, isAborted: false, after: { ...ENDS, decline: "open" } },
  finished: { isOver: true, isAborted: false, after: {} },
  aborted: ABORTED,
  lost: ABORTED,
  brokenOff: ABORTED,
  unanswered: ABORTED,
};
