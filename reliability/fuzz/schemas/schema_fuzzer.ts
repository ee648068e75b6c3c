/** Random schemas: responses have the document's fields only, and requests that it allows are accepted. */
import type { Handler } from "@sluice/sluice";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { checkRequest, type RequestStep } from "./check_request.ts";
import { checkResponse, type ResponseStep, transforms } from "./check_response.ts";
import { RandomShape } from "./random_shape.ts";
import type { Library } from "./shape.ts";
import { simplerObject, simplerShape } from "./simpler_shape.ts";
import { sourceOf } from "./source.ts";

/** A route. */
export type SchemaStep = ResponseStep | RequestStep;

/** Routes in a round: responses are much faster than requests. */
const [RESPONSES, REQUESTS] = [20, 3];

/** Fuzzes schemas of a library. */
export class SchemaFuzzer implements Fuzzer<SchemaStep> {
  readonly name: string;
  readonly #library: Library;
  readonly #fault: Handler | undefined;

  /**
   * @param library The library
   * @param fault Middleware beside `validate`, in tests for the fuzzer
   */
  constructor(library: Library, fault?: Handler) {
    this.name = `schemas, ${library}`;
    this.#library = library;
    this.#fault = fault;
  }

  round(pick: Pick): readonly SchemaStep[] {
    return [
      ...Array.from({ length: RESPONSES }, () => this.#response(pick)),
      ...Array.from({ length: REQUESTS }, () => this.#request(pick)),
    ];
  }

  #response(pick: Pick): ResponseStep {
    const library = this.#library;
    const shape = new RandomShape(pick, library, "response").whole();
    const options = oneOf(pick, [{}, {}, { checkResponses: true }, { serialize: true }]);
    // what is read from a Response has no dates, sets and maps, which a schema would expect
    const isReturned = Object.keys(options).length === 0 && !transforms(shape) && pick(3) === 0;
    return { part: "response", library, shape, options, isReturned, seed: 1 + pick(1_000_000) };
  }

  #request(pick: Pick): RequestStep {
    const library = this.#library;
    const part = oneOf(pick, ["body", "query"] as const);
    return { part, library, shape: new RandomShape(pick, library, part).whole(), seed: 1 + pick(1_000_000) };
  }

  async check(steps: readonly SchemaStep[]): Promise<Wrong | undefined> {
    for (const step of steps) {
      const wrong = step.part === "response"
        ? await checkResponse(step, this.#fault)
        : await checkRequest(step, this.#fault);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  *simpler(step: SchemaStep): Generator<SchemaStep> {
    if (step.part === "response") {
      if (step.isReturned) yield { ...step, isReturned: false };
      if (Object.keys(step.options).length > 0) yield { ...step, options: {} };
    }
    const { shape } = step;
    const simpler = step.part === "query" && shape.is === "object" ? simplerObject(shape) : simplerShape(shape);
    for (const one of simpler) {
      // parsers of JSON refuse primitive bodies
      if (step.part !== "body" || ["object", "list", "variants", "both"].includes(one.is)) {
        yield { ...step, shape: one };
      }
    }
  }

  print(steps: readonly SchemaStep[]): string {
    return steps.map((step) => {
      const schema = `const schema = ${sourceOf(step.shape, step.library)};\n`;
      if (step.part !== "response") return `${schema}validate({ ${step.part}: schema })`;
      const options = Object.entries(step.options).map(([name, value]) => `${name}: ${value}, `).join("");
      return `${schema}validate({ ${options}response: { 200: schema } })`;
    }).join("\n");
  }
}
