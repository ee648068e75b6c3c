import sluice from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { Exchange } from "../../src/exchange/exchange.ts";
import { type ExchangeEvent, type ExchangeState, STATES } from "../../src/exchange/exchange_state.ts";

const NAMES = Object.keys(STATES) as ExchangeState[];

/** Every way to end an exchange or change its state, and the resulting events. */
const CALLS: Readonly<Record<string, (exchange: Exchange) => readonly ExchangeEvent[]>> = {
  finish(exchange) {
    exchange.finish();
    return ["finish"];
  },
  abort(exchange) {
    exchange.abort();
    return ["abort"];
  },
  "abort, with a response": (exchange) => {
    exchange.abort(new Response(null, { status: 503 }));
    return ["abort"];
  },
  lose(exchange) {
    exchange.lose();
    return ["lose"];
  },
  breakOff(exchange) {
    const isFirst = exchange.response === null;
    exchange.breakOff(new Error("broken off by the test"));
    return [isFirst ? "breakOffFirst" : "breakOff"];
  },
  upgrade(exchange) {
    exchange.upgrade(() => new Response());
    return ["upgrade"];
  },
  "upgrade, refused": (exchange) => {
    // once the exchange is over, or upgrading already, nothing is accepted
    let isAsked = false;
    const upgrade = () =>
      exchange.upgrade(() => {
        isAsked = true;
        throw new Error("no handshake");
      });
    try {
      upgrade();
      assertEquals(isAsked, false);
    } catch (error) {
      assertEquals([isAsked, (error as Error).message], [true, "no handshake"]);
    }
    return isAsked ? ["upgrade", "decline"] : ["upgrade"];
  },
};

/** How to bring an exchange into a state. */
const WAYS: Readonly<Record<ExchangeState, (exchange: Exchange) => void>> = {
  open: () => {},
  upgrading: (exchange) => exchange.upgrade(() => new Response()),
  finished: (exchange) => exchange.finish(),
  aborted: (exchange) => exchange.abort(),
  lost: (exchange) => exchange.lose(),
  brokenOff(exchange) {
    exchange.settle(new Response("begun"));
    exchange.breakOff();
  },
  unanswered: (exchange) => exchange.breakOff(),
};

function seen(exchange: Exchange): unknown {
  const { finished, aborted, broken, isBrokenOff, isWithoutResponse } = exchange;
  return { finished, aborted, broken, isBrokenOff, isWithoutResponse };
}

function shown(state: ExchangeState): unknown {
  return {
    finished: state === "finished",
    aborted: STATES[state].isAborted,
    broken: state === "lost",
    isBrokenOff: state === "brokenOff" || state === "unanswered",
    isWithoutResponse: state === "unanswered",
  };
}

for (const state of NAMES) {
  for (const responds of [false, true]) {
    for (const [name, call] of Object.entries(CALLS)) {
      const before = responds ? "with a response" : "without a response";
      Deno.test(`an exchange that is ${state}, ${before}: ${name}`, async () => {
        const exchange = new Exchange(new Request("http://localhost/"), undefined, undefined, sluice());
        let ends = 0, departures = 0;
        exchange.onEnd(() => ends++);
        exchange.onAbort(() => departures++);
        if (responds) exchange.settle(new Response());
        WAYS[state](exchange);
        // aborting before a response exists is a different state from aborting afterwards
        const from = state === "unanswered" && responds ? "brokenOff" : state;
        assertEquals(seen(exchange), shown(from), "on arrival");

        let to: ExchangeState = from;
        for (const event of call(exchange)) to = STATES[to].after[event] ?? to;

        assertEquals(seen(exchange), shown(to));
        // listeners run in a microtask; code that waits for a handler's response runs after this tick
        await new Promise((resolve) => setTimeout(resolve, 0));
        assertEquals({ ends, departures }, {
          ends: STATES[to].isOver ? 1 : 0,
          departures: STATES[to].isAborted ? 1 : 0,
        });
        await exchange.response?.body?.cancel().catch(() => {});
      });
    }
  }
}

Deno.test("an exchange that is over stays as it ended", () => {
  for (const state of NAMES.filter((name) => STATES[name].isOver)) assertEquals(STATES[state].after, {});
});

Deno.test("every state of an exchange is reached", () => {
  const reached = new Set<string>(["open", ...NAMES.flatMap((state) => Object.values(STATES[state].after))]);
  assertEquals(NAMES.filter((state) => !reached.has(state)), []);
});
