/** Applications made up at random, on Sluice and on real Express: what their handlers see and a client gets is the same. */
import express from "express";
import sluice from "@sluice/sluice";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import type { Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { shorter } from "../smallest.ts";
import { build, seenBy } from "./build_program.ts";
import { type Ask, type Program, randomAsks, randomProgram } from "./random_program.ts";

/** A request to an application of its own. */
export interface AppStep {
  readonly program: Program;
  readonly ask: Ask;
}

/** One of the two libraries, behind a server that hands requests to the application under test. */
interface Side {
  readonly lib: Any;
  readonly origin: string;
  current: Any;
  stop(): Promise<unknown>;
}

/** Fuzzes the API that Sluice has in common with Express. `await using` ends it. */
export class AppFuzzer implements Fuzzer<AppStep>, AsyncDisposable {
  readonly name = "random applications beside Express";
  readonly #ours: Side;
  readonly #theirs: Side;

  private constructor(ours: Side, theirs: Side) {
    this.#ours = ours;
    this.#theirs = theirs;
  }

  /**
   * Starts both servers.
   *
   * @param lib What is compared with Express
   */
  static async start(lib: Any = sluice): Promise<AppFuzzer> {
    return new AppFuzzer(serveSluice(lib), await serveExpress());
  }

  round(pick: Pick): readonly AppStep[] {
    const program = randomProgram(pick, 3, true);
    return randomAsks(pick, program, 8).map((ask) => ({ program, ask }));
  }

  async check(steps: readonly AppStep[]): Promise<Wrong | undefined> {
    for (const step of steps) {
      const ours = await seenOn(this.#ours, step);
      const theirs = await seenOn(this.#theirs, step);
      const [a, b] = [ours, theirs].map((seen) => Deno.inspect(seen, { depth: 9, strAbbreviateSize: 300 }));
      if (a === b) continue;
      return { kind: `Express ${differenceOf(ours, theirs)}`, detail: `Sluice: ${a}\nExpress: ${b}` };
    }
    return undefined;
  }

  *simpler({ program, ask }: AppStep): Generator<AppStep> {
    for (const fewer of smallerPrograms(program)) yield { program: fewer, ask };
    const [path, query] = ask.path.split("?");
    if (query !== undefined) yield { program, ask: { ...ask, path: path! } };
    for (const segments of shorter(path!.split("/").slice(1))) {
      yield { program, ask: { ...ask, path: `/${segments.join("/")}` } };
    }
  }

  print(steps: readonly AppStep[]): string {
    // with serveBoth, build() and seenBy(): regular expressions are printed as such
    return steps.map(({ program, ask }) => {
      const shown = Deno.inspect(program, { depth: 20, iterableLimit: 100, strAbbreviateSize: 1000 });
      return `const program = ${shown};\nconst ask = ${Deno.inspect(ask)};`;
    }).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#ours.stop(), this.#theirs.stop()]);
  }
}

async function seenOn(side: Side, { program, ask }: AppStep): Promise<readonly unknown[]> {
  const log: unknown[] = [];
  try {
    side.current = build(program, side.lib, log);
  } catch (error) {
    // a program that cannot be built is none, on both
    return [String((error as Error).name)];
  }
  return [await seenBy(side.origin, 0, ask), log];
}

function differenceOf(ours: readonly unknown[], theirs: readonly unknown[]): string {
  if (ours.length !== theirs.length) return "builds what Sluice does not, or the other way round";
  return Deno.inspect(ours[0]) === Deno.inspect(theirs[0])
    ? "runs other handlers, or shows them others values"
    : "answers differently";
}

function serveSluice(lib: Any): Side {
  const app = lib().set("env", "test");
  app.use((req: Any, res: Any, next: Any) => side.current(req, res, next));
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const side: Side = { lib, origin, current: null, stop: () => server.shutdown() };
  return side;
}

async function serveExpress(): Promise<Side> {
  const app: Any = express();
  app.set("env", "test");
  app.use((req: Any, res: Any, next: Any) => side.current(req, res, next));
  const server = await new Promise<Any>((resolve) => {
    const listening: Any = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  const origin = `http://127.0.0.1:${server.address().port}`;
  const side: Side = { lib: express, origin, current: null, stop };
  return side;
}

/** Programs with a registration less, or with a simpler one. */
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
