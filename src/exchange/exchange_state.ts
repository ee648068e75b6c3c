/** How far an exchange is, or how it ended. Whether it has a response yet is a matter of its own. */
export type ExchangeState =
  /** Its handlers are at work, or its response is being passed on. */
  | "open"
  /** It is becoming, or has become, a WebSocket, and ends with that. */
  | "upgrading"
  /** All of the response was passed to the platform. */
  | "finished"
  /** The client disconnected before that, or the server was closed. */
  | "left"
  /** The request body was cut off before that. */
  | "lost"
  /** The program broke it off in the middle of the response. */
  | "brokenOff"
  /** The program broke it off before there was a response. */
  | "unanswered";

/** What happens to an exchange. */
export type ExchangeEvent = "finish" | "leave" | "lose" | "breakOff" | "breakOffFirst" | "upgrade" | "decline";

/** What is known of a state, and what each event makes of it. An event that is not listed changes nothing. */
interface StateRow {
  /** Whether the exchange is over. */
  readonly isOver: boolean;
  /** Whether it ended before its response was complete. */
  readonly isAborted: boolean;
  /** The next state, by event. */
  readonly after: Readonly<Partial<Record<ExchangeEvent, ExchangeState>>>;
}

const ENDS = {
  finish: "finished",
  leave: "left",
  lose: "lost",
  breakOff: "brokenOff",
  breakOffFirst: "unanswered",
} as const;

const ABORTED: StateRow = { isOver: true, isAborted: true, after: {} };

/**
 * The states and their transitions. The first end counts: a handler that destroys its request may still end the response,
 * which is no success then.
 */
export const STATES: Readonly<Record<ExchangeState, StateRow>> = {
  open: { isOver: false, isAborted: false, after: { ...ENDS, upgrade: "upgrading" } },
  // the handshake may be declined
  upgrading: { isOver: false, isAborted: false, after: { ...ENDS, decline: "open" } },
  finished: { isOver: true, isAborted: false, after: {} },
  left: ABORTED,
  lost: ABORTED,
  brokenOff: ABORTED,
  unanswered: ABORTED,
};
