/** Path spellings, sent to all frameworks' routers behind policies for their routes. */
import { MemoryStore, type Take } from "@sluice/rate-limit";
import { PolicyRules } from "@sluice/rate-limit/rules";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { printedText } from "../printed_text.ts";
import type { Send } from "./fake_exchange.ts";
import { type Choice, ROUTERS, type RouterSubject, ROUTES } from "./routers.ts";

/** A request. */
export interface RoutedSpelling {
  /** The index of the selected value for each framework option. */
  readonly chosen: Readonly<Record<string, number>>;
  /** The path's prefix: nothing, or a scheme and a host. */
  readonly origin: string;
  /** The path in pieces: the usual spelling, and the spelling used here. */
  readonly pieces: readonly (readonly [usual: string, here: string])[];
}

/** The policy that counts by the varying segment. */
const bySegment = (route: string) => `${route} by segment`;

/** Requests to one application. */
const REQUESTS = 100;

const PATHS = [
  ...["/login", "/shops/7", "/shops/kiosk", "/shops/7/items", "/files/a/b", "/files/", "/api/login", "/api/users/ask"],
];

const BITS = [
  ...["/", "//", "/./", "/../", ".", "..", ";", ";a=b", ";1", "\\", "#", "#x", "#1", "?", "?x", "?1", "'", "{", "|"],
  ...['"', "*", ":", "@", "+", ",", "&", "=", "!", "%", "%%", "%00", "%0a", "%20", "%25", "%252f", "%2e", "%2f", "%3b"],
  ...["%3B1", "%23", "%3f", "%5c", "%6c", "%a0", "%ff", "%e2%84%aa", "\xa0", "\xdf", "\t", "L"],
];

/** Letters, as sent, that become ASCII in the other case. */
const LOOKALIKES: Readonly<Record<string, string>> = { k: "%E2%84%AA", s: "%C5%BF", i: "%C4%B0" };

const ORIGINS = [
  ...[
    "http://h",
    "HTTP://h",
    "https://h#",
    "ftp://h",
    "ws://u@h:1",
    "http://host.example",
    "http://h?x",
    "http://h/xx",
    "http://",
    "http:",
    "http:\\\\h",
  ],
  ...["x:", "//h", "//"],
];

/** Records what the last request consumed. */
class RecordingStore extends MemoryStore {
  /** What the last request consumed from each counter. */
  last: readonly Take[] = [];

  override decide(takes: readonly Take[], times?: number): ReturnType<MemoryStore["decide"]> {
    this.last = takes;
    return super.decide(takes, times);
  }
}

/** An application, and observations from the last request. */
interface Opened {
  readonly send: Send;
  readonly store: RecordingStore;
  reached: { readonly route: number; readonly params: object } | null;
}

/** Fuzzes one framework. */
export class RouterFuzzer implements Fuzzer<RoutedSpelling> {
  readonly name: string;
  readonly #subject: RouterSubject;
  readonly #apps = new Map<string, Promise<Opened>>();
  /** Number of requests that reached a handler. */
  reached = 0;

  /**
   * @param framework Its name in `ROUTERS`
   * @param subject The framework, in tests for the fuzzer
   */
  constructor(framework: string, subject: RouterSubject = ROUTERS[framework]!) {
    this.name = `routers, ${framework}`;
    this.#subject = subject;
  }

  round(pick: Pick): readonly RoutedSpelling[] {
    const { options } = this.#subject;
    const chosen = Object.fromEntries(Object.entries(options).map(([name, values]) => [name, pick(values.length)]));
    const { mountedAt, sentTo } = this.#prefixes(chosen);
    return Array.from({ length: REQUESTS }, () => {
      const prefix = pick(8) === 0 ? mountedAt : sentTo + mountedAt;
      const pieces = randomPieces(pick, prefix + oneOf(pick, PATHS));
      return { chosen, origin: pick(10) < 7 ? "" : oneOf(pick, ORIGINS), pieces };
    });
  }

  #prefixes(chosen: RoutedSpelling["chosen"]): { mountedAt: string; sentTo: string } {
    const choice = this.#choiceOf(chosen);
    return { mountedAt: this.#subject.mountedAt?.(choice) ?? "", sentTo: this.#subject.sentTo?.(choice) ?? "" };
  }

  #choiceOf(chosen: RoutedSpelling["chosen"]): Choice {
    return Object.fromEntries(
      Object.entries(this.#subject.options).map(([name, values]) => [name, values[chosen[name]!]])
        .filter(([, value]) => value !== undefined),
    );
  }

  async check(steps: readonly RoutedSpelling[]): Promise<Wrong | undefined> {
    /** Counters by handler and parameters. */
    const counters = new Map<string, { readonly key: string | undefined; readonly target: string }>();
    for (const step of steps) {
      const app = await this.#opened(step.chosen);
      app.reached = null;
      app.store.last = [];
      const target = targetOf(step);
      await app.send(target);
      // it is set while the request is sent
      const reached = app.reached as Opened["reached"];
      if (reached === null) continue;
      this.reached++;
      const route = ROUTES[reached.route]!;
      const keyOf = (name: string) => app.store.last.find(({ policy }) => policy.name === name)?.key;
      if (keyOf(route) === undefined) {
        return { kind: "a spelling leads past the policy for its route", detail: `${route} is reached by ${target}` };
      }
      const seen = `${route} ${JSON.stringify(reached.params)}`;
      const values = Object.values(reached.params);
      const key = keyOf(bySegment(route));
      if (key === undefined && /\w/.test(values.join())) {
        return { kind: "a spelling hides a segment that is counted by", detail: `${seen} is reached by ${target}` };
      }
      if (!route.includes(":") || this.#subject.readsOtherwise?.(this.#choiceOf(step.chosen))) continue;
      // Elysia has null for anything it cannot decode
      if (values.includes(null)) continue;
      const before = counters.get(seen);
      if (before === undefined) counters.set(seen, { key, target });
      else if (before.key !== key) {
        const detail = `${seen} is counted as ${key} by ${target}, and as ${before.key} by ${before.target}`;
        return { kind: "a spelling of a parameter has a counter of its own", detail };
      }
    }
    return undefined;
  }

  #opened(chosen: RoutedSpelling["chosen"]): Promise<Opened> {
    const id = JSON.stringify(chosen);
    let app = this.#apps.get(id);
    if (app === undefined) {
      // applications from earlier rounds are no longer needed
      this.#apps.clear();
      this.#apps.set(id, app = this.#open(chosen));
    }
    return app;
  }

  async #open(chosen: RoutedSpelling["chosen"]): Promise<Opened> {
    const store = new RecordingStore();
    const { mountedAt } = this.#prefixes(chosen);
    const rules = new PolicyRules({
      policies: ROUTES.flatMap((route) => {
        const policy = { routes: [mountedAt + route], limit: 1e9, window: "1h" };
        const path = `${mountedAt}${route}`.split("/").findIndex((segment) => segment === "*" || segment === ":id");
        return [{ name: route, ...policy }, ...path < 0 ? [] : [{ name: bySegment(route), key: { path }, ...policy }]];
      }),
    });
    const limit = { rules, store, missingKey: "share", validate: false };
    const opened: { -readonly [Name in keyof Opened]?: Opened[Name] } = { store, reached: null };
    opened.send = await this.#subject.open(limit, this.#choiceOf(chosen), (route, params) => {
      opened.reached = { route, params: params ?? {} };
    });
    return opened as Opened;
  }

  *simpler(step: RoutedSpelling): Generator<RoutedSpelling> {
    for (const [name, value] of Object.entries(step.chosen)) {
      if (value !== 0) yield { ...step, chosen: { ...step.chosen, [name]: 0 } };
    }
    if (step.origin !== "") yield { ...step, origin: "" };
    for (const [i, [usual, here]] of step.pieces.entries()) {
      if (usual !== here) yield { ...step, pieces: step.pieces.with(i, [usual, usual]) };
    }
  }

  print(steps: readonly RoutedSpelling[]): string {
    return steps.map((step) => {
      const choice = Object.entries(this.#choiceOf(step.chosen)).map(([name, value]) => {
        return `${name}: ${typeof value === "function" ? value.name || "a function" : JSON.stringify(value)}`;
      });
      return `// ${choice.join(", ")}\nawait send(${printedText(targetOf(step))});`;
    }).join("\n");
  }
}

/** A random spelling for a path. */
export function randomTarget(pick: Pick, path: string): string {
  return targetOf({ origin: "", pieces: randomPieces(pick, path) });
}

function targetOf({ origin, pieces }: Omit<RoutedSpelling, "chosen">): string {
  const path = pieces.map(([, here]) => here).join("");
  return origin === "" ? path.replace(/^\/?/, "/") : origin + path;
}

function randomPieces(pick: Pick, path: string): RoutedSpelling["pieces"] {
  // a few changes get farther than many
  const often = oneOf(pick, [5, 12, 40]);
  const pieces = Array.from(path, (usual): [string, string] => {
    return [usual, pick(often) === 0 ? changed(pick, usual) : usual];
  });
  if (pick(2) === 0) pieces.push(["", oneOf(pick, BITS)]);
  return pieces;
}

function changed(pick: Pick, character: string): string {
  const hex = `%${character.charCodeAt(0).toString(16)}`;
  switch (pick(8)) {
    case 0:
    case 1:
      return oneOf(pick, BITS) + character;
    case 2:
      return character.toUpperCase();
    case 3:
      return hex;
    case 4:
      return hex.toUpperCase();
    case 5:
      return `%25${hex.slice(1)}`;
    case 6:
      return LOOKALIKES[character] ?? character + character;
    default:
      return "";
  }
}
