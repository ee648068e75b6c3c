/** Random applications on Sluice (Deno, Node and Bun) and on real Express (Node): handlers and clients see the same. */
import { isDeepStrictEqual } from "node:util";
import type { Pick } from "../../../tests/support/random.ts";
import { Child, commandOf, type RuntimeName, RUNTIMES } from "../../support/children.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { shorter } from "../smallest.ts";
import { type Ask, inExpress4, type Program, randomAsks, randomProgram, writeProgram } from "./random_program.ts";
import { seenBy } from "./see_response.ts";
import type { Started } from "./serve_programs.ts";

const FOLDER = "reliability/fuzz/apps/";

/** An application, and requests sent to it one after the other. */
export interface AppStep {
  readonly program: Program;
  readonly asks: readonly Ask[];
}

/** A program's results, for each way of serving it. */
type Outcomes = Readonly<Record<string, Outcome>>;

/** Whether it could be built; then, for each request, the response and what handlers saw. */
type Outcome = { readonly refused: string } | {
  readonly responses: readonly unknown[];
  readonly logs: readonly (readonly unknown[])[];
};

/** Options for {@linkcode AppFuzzer}. */
export interface AppOptions {
  /** Runtimes compared with Express; all runtimes by default. */
  readonly runtimes?: readonly RuntimeName[];
  /** What is compared with its Express; Sluice itself with Express 5, by default. */
  readonly framework?: Framework;
  /** Name of a fault to plant in Sluice's process. */
  readonly fault?: string;
}

/** Sluice, or a major of `@sluice/express`. */
export type Framework = "Sluice" | "Express 5" | "Express 4";

/** Fuzzes the API that Sluice shares with Express. `await using` ends it. */
export class AppFuzzer implements Fuzzer<AppStep>, AsyncDisposable {
  readonly name: string;
  readonly #framework: Framework;
  readonly #express: Child;
  readonly #sluice: ReadonlyMap<RuntimeName, Child>;

  private constructor(framework: Framework, express: Child, sluice: ReadonlyMap<RuntimeName, Child>) {
    this.name = `random applications of ${framework} beside Express`;
    this.#framework = framework;
    this.#express = express;
    this.#sluice = sluice;
  }

  /** Starts a process for Express, and one for Sluice on each runtime. */
  static async start({ runtimes = RUNTIMES, framework = "Sluice", fault }: AppOptions = {}): Promise<AppFuzzer> {
    const env = { FRAMEWORK: framework, ...fault === undefined ? {} : { PLANTED_FAULT: fault } };
    const express = await commandOf("Node", `${FOLDER}express_program.ts`);
    const commands = await Promise.all(runtimes.map((runtime) => commandOf(runtime, `${FOLDER}program.ts`)));
    const sluice = new Map(runtimes.map((runtime, i) => [runtime, Child.start(commands[i]!, env)]));
    return new AppFuzzer(framework, Child.start(express, env), sluice);
  }

  round(pick: Pick): readonly AppStep[] {
    const isFour = this.#framework === "Express 4";
    const random = randomProgram(pick, 3, true);
    const program = isFour ? inExpress4(random) : random;
    // a route "/" matches "//" in Express 5 only
    const asks = randomAsks(pick, program, 8).filter(({ path }) => !isFour || !path.startsWith("//"));
    return [{ program, asks }];
  }

  async check(steps: readonly AppStep[]): Promise<Wrong | undefined> {
    for (const step of steps) {
      const [theirs, ...ours] = await Promise.all([this.#express, ...this.#sluice.values()].map((child) => {
        return outcomesOn(child, step);
      }));
      const [expected] = Object.values(theirs!);
      for (const [i, runtime] of [...this.#sluice.keys()].entries()) {
        for (const [way, outcome] of Object.entries(ours[i]!)) {
          const wrong = difference(outcome, expected!, step);
          if (wrong !== undefined) return { ...wrong, kind: `${runtime}, ${way}: ${wrong.kind}` };
        }
      }
    }
    return undefined;
  }

  *simpler({ program, asks }: AppStep): Generator<AppStep> {
    for (const fewer of shorter(asks)) if (fewer.length > 0) yield { program, asks: fewer };
    for (const fewer of smallerPrograms(program)) yield { program: fewer, asks };
    for (const [i, ask] of asks.entries()) {
      for (const simpler of simplerAsks(ask)) yield { program, asks: asks.with(i, simpler) };
    }
  }

  print(steps: readonly AppStep[]): string {
    // with build() and seenBy(): regular expressions are printed as such
    return steps.map(({ program, asks }) => {
      const shown = Deno.inspect(program, { depth: 20, iterableLimit: 100, strAbbreviateSize: 1000 });
      return `const program = ${shown};\nconst asks = ${Deno.inspect(asks)};`;
    }).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#express, ...this.#sluice.values()].map((child) => child[Symbol.asyncDispose]()));
  }
}

async function outcomesOn(child: Child, { program, asks }: AppStep): Promise<Outcomes> {
  await child.say(writeProgram(program));
  const started: Started = JSON.parse(await child.line());
  // a program that cannot be built fails on both frameworks
  if ("refused" in started) return { "any way": started };
  const responses = new Map<string, unknown[]>();
  for (const [way, port] of Object.entries(started.ports)) {
    const seen: unknown[] = [];
    for (const [i, ask] of asks.entries()) {
      seen.push(await seenBy(`http://127.0.0.1:${port}`, { "x-ask": String(i) }, ask));
    }
    responses.set(way, seen);
  }
  await child.say("log");
  const logs: Record<string, { ask: string }[]> = JSON.parse(await child.line());
  return Object.fromEntries(Array.from(responses, ([way, seen]) => {
    const byAsk = asks.map((_, i) => logs[way]!.filter(({ ask }) => ask === String(i)));
    return [way, { responses: seen, logs: byAsk }];
  }));
}

function difference(ours: Outcome, theirs: Outcome, { asks }: AppStep): Wrong | undefined {
  if ("refused" in ours || "refused" in theirs) {
    if (isDeepStrictEqual(ours, theirs)) return undefined;
    return { kind: "one library builds what the other refuses", detail: printed("building", ours, theirs) };
  }
  for (const [i, ask] of asks.entries()) {
    const about = `${ask.method} ${ask.path}`;
    if (!isDeepStrictEqual(ours.logs[i], theirs.logs[i])) {
      const kind = "other handlers run than on Express, or they see other values";
      return { kind, detail: printed(about, ours.logs[i], theirs.logs[i]) };
    }
    if (!isDeepStrictEqual(ours.responses[i], theirs.responses[i])) {
      const kind = "the response is another than on Express";
      return { kind, detail: printed(about, ours.responses[i], theirs.responses[i]) };
    }
  }
  return undefined;
}

function printed(about: string, ours: unknown, theirs: unknown): string {
  const [a, b] = [ours, theirs].map((seen) => Deno.inspect(seen, { depth: 9, strAbbreviateSize: 300 }));
  return `${about}\nSluice: ${a}\nExpress: ${b}`;
}

function* simplerAsks(ask: Ask): Generator<Ask> {
  const [path, query] = ask.path.split("?");
  if (query !== undefined) yield { ...ask, path: path! };
  if (ask.type !== null) yield { ...ask, type: null, body: null };
  for (const segments of shorter(path!.split("/").slice(1))) yield { ...ask, path: `/${segments.join("/")}` };
}

/** Programs with one registration fewer, or with a simpler registration. */
function* smallerPrograms(program: Program): Generator<Program> {
  for (const registrations of shorter(program.registrations)) yield { ...program, registrations };
  for (const settings of shorter(program.settings)) yield { ...program, settings };
  for (const name of Object.keys(program.options)) {
    const { [name]: _, ...options } = program.options;
    yield { ...program, options };
  }
  for (const [i, one] of program.registrations.entries()) {
    const replaced = (by: Partial<typeof one>) => ({
      ...program,
      registrations: program.registrations.with(i, { ...one, ...by }),
    });
    if (one.deeds.length > 1) {
      for (const deeds of shorter(one.deeds)) if (deeds.length > 0) yield replaced({ deeds });
    }
    if (one.inner !== null) { for (const inner of smallerPrograms(one.inner)) yield replaced({ inner }); }
  }
}
