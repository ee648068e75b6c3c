/** In-process requests to an application that interprets everything a client may send. */
import type { FrameworkApp } from "@sluice/sluice";
import type { Pick } from "../../../tests/support/random.ts";
import { bytesOf } from "../../support/http_client.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { printedText } from "../printed_text.ts";
import { shorter } from "../smallest.ts";
import { brokenRule } from "./response_rules.ts";
import { type PlainRequest, randomRequest } from "./random_request.ts";

/** Time in ms that no request takes three times in a row, even on a busy machine. Requests have at most 80 kB. */
const BOUND_MS = 250;

/** Fuzzes an application. `using` ends it. */
export class RequestFuzzer implements Fuzzer<PlainRequest>, Disposable {
  readonly name = "requests in process";
  readonly #app: FrameworkApp;
  #rejections: unknown[] = [];
  readonly #note = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    this.#rejections.push(event.reason);
  };

  /** @param app The application, as returned by `buildTarget()` */
  constructor(app: FrameworkApp) {
    this.#app = app;
    addEventListener("unhandledrejection", this.#note);
  }

  round(pick: Pick): readonly PlainRequest[] {
    return Array.from({ length: 16 }, () => randomRequest(pick));
  }

  async check(steps: readonly PlainRequest[]): Promise<Wrong | undefined> {
    for (const step of steps) {
      const wrong = await this.#checkOne(step);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  async #checkOne(step: PlainRequest): Promise<Wrong | undefined> {
    let ms = Infinity;
    for (let attempt = 0; attempt < 3 && ms > BOUND_MS; attempt++) {
      this.#rejections = [];
      const start = performance.now();
      try {
        const request = requestOf(step);
        if (request === undefined) return undefined;
        const response = await this.#app.fetch(request);
        const wrong = brokenRule(step, response, new Uint8Array(await response.arrayBuffer()));
        if (wrong !== undefined) return wrong;
      } catch (error) {
        return { kind: "an exception leaves app.fetch", detail: Deno.inspect(error) };
      }
      ms = Math.min(ms, performance.now() - start);
      // rejections are reported at the end of the tick
      await new Promise((resolve) => setTimeout(resolve));
      if (this.#rejections.length > 0) {
        return { kind: "a rejection is not handled", detail: Deno.inspect(this.#rejections[0]) };
      }
    }
    if (ms <= BOUND_MS) return undefined;
    return { kind: `a request to ${/^\/[^/?]*/.exec(step.target)?.[0]} takes too long`, detail: `${ms.toFixed()} ms` };
  }

  *simpler(step: PlainRequest): Generator<PlainRequest> {
    for (const headers of shorter(step.headers)) yield { ...step, headers };
    const [path, query] = step.target.split(/\?(.*)/s);
    if (query !== undefined) yield { ...step, target: path! };
    for (const fewer of shorter([...step.target.slice(1)])) yield { ...step, target: `/${fewer.join("")}` };
    for (const [i, [name, value]] of step.headers.entries()) {
      for (const fewer of shorter([...value])) yield { ...step, headers: step.headers.with(i, [name, fewer.join("")]) };
    }
    if (step.body !== null) { for (const fewer of shorter([...step.body])) yield { ...step, body: fewer.join("") }; }
  }

  print(steps: readonly PlainRequest[]): string {
    return steps.map(({ target, method, headers, body }) => {
      const init = JSON.stringify({ method, headers }).slice(0, -1) +
        (body === null ? "" : `,"body":${printedText(body)}`);
      const bytes = body !== null && /[^\0-\x7f]/.test(body) ? "  // each character of the body is a byte\n" : "";
      return `${bytes}await app.fetch(new Request(${printedText(`http://localhost${target}`)}, ${init}}));`;
    }).join("\n");
  }

  [Symbol.dispose](): void {
    removeEventListener("unhandledrejection", this.#note);
  }
}

/** `undefined` if a web request cannot represent it. */
function requestOf({ method, target, headers, body }: PlainRequest): Request | undefined {
  try {
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
    return new Request(`http://localhost${target}`, { ...init, ...(body === null ? {} : { body: bytesOf(body) }) });
  } catch {
    return undefined;
  }
}
