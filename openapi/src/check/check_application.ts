import fc from "fast-check";
import { checkInteger, checkNames, type OptionNames } from "@sluice/shared";
import { assertApplication, openapi, type WithRoutes } from "../document/openapi.ts";
import type { OpenApiDocument } from "../document/openapi_document.ts";
import { Wildcards } from "../generate/client_routes.ts";
import { type Draft, type KnownOperation, knownOperation } from "./draft.ts";
import { invalidDrafts } from "./invalid_drafts.ts";
import { type ReadResponse, responseFault } from "./response_fault.ts";
import { Schemas } from "./schemas.ts";
import { requestFor, type SentRequest, sentRequest } from "./sent_request.ts";
import { validDrafts } from "./valid_drafts.ts";
import { NoValueError, Values } from "./values.ts";

/** An application to check. */
export interface CheckedApp extends WithRoutes {
  /** Responds to a request, without a server. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
}

/**
 * How to check an application.
 *
 * @example One operation, with a header in each request
 * ```ts
 * import { checkApplication, type CheckOptions } from "@sluice/openapi/check";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/greeting", (req, res) => res.json({ language: req.get("accept-language") }));
 *
 * const options: CheckOptions = { only: ["GET /greeting"], headers: { "accept-language": "de" } };
 * const { operations } = await checkApplication(app, options);
 * console.log(operations); // 1
 * ```
 */
export interface CheckOptions {
  /** The document; by default the one from `openapi`, without further options. */
  readonly document?: OpenApiDocument;
  /** Seed for the requests: the same seed generates the same requests. 1 by default. */
  readonly seed?: number;
  /** Number of valid requests per operation; 20 by default. */
  readonly runs?: number;
  /** The operations to check, such as `POST /notes/{id}` or their `operationId`; all operations by default. */
  readonly only?: readonly string[];
  /** Headers for all requests, such as authentication headers. */
  readonly headers?: HeadersInit;
  /** Timeout for a response in ms; 5000 by default. */
  readonly timeoutMs?: number;
}

/** A difference between an application and its document. */
export interface Finding {
  /**
   * Its kind: the application refuses a request the document allows, accepts one it forbids, or sends a response it
   * does not describe.
   */
  readonly kind: "refuses" | "accepts" | "responds";
  /** Method and path, as in the document. */
  readonly operation: string;
  /** The fault. */
  readonly reason: string;
  /** The smallest request found to reproduce it. */
  readonly request: SentRequest;
  /** The response; a body is cut after 500 characters. */
  readonly response: { readonly status: number; readonly body: string };
}

/** The checks that ran, and the differences they found. */
export interface CheckReport {
  /** The seed for the requests. */
  readonly seed: number;
  /** Number of checked operations. */
  readonly operations: number;
  /** Number of requests. */
  readonly requests: number;
  /** The differences. */
  readonly findings: readonly Finding[];
  /** The parts that could not be checked, and why. */
  readonly unchecked: readonly string[];
}

const NAMES: OptionNames<CheckOptions> = {
  document: true,
  seed: true,
  runs: true,
  only: true,
  headers: true,
  timeoutMs: true,
};

/** Maximum characters from a body in a finding. */
const SHOWN = 500;

/** Maximum number of requests to shrink a finding. */
const MOST_SHRINKS = 200;

/** Maximum number of times to resend a request after a 503 with `Retry-After`. */
const MOST_WAITS = 5;

/** Statuses that reject a valid request. */
const REFUSALS = new Set([400, 413, 414, 415, 422, 431]);

/** Statuses unrelated to the request's form: they depend on the sender, the rate, and which resources exist. */
const ELSE = new Set([401, 403, 404, 409, 410, 423, 429, 503]);

/**
 * Sends an application requests that its document allows, and some that it forbids, and compares the responses with the
 * document. The requests are real: they create, change and delete data, so check an application with its own test
 * database.
 *
 * @param app The application
 * @param options How to check it
 * @returns The findings
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example A test
 * ```ts
 * import { checkApplication, reportText } from "@sluice/openapi/check";
 * import { validate } from "@sluice/openapi";
 * import sluice from "@sluice/sluice";
 * import { z } from "zod";
 *
 * const app = sluice();
 * const body = z.object({ text: z.string().min(1) });
 * app.post("/notes", sluice.json(), validate({ body, response: { 201: body } }), (req, res) => {
 *   res.status(201).json(req.body);
 * });
 *
 * const report = await checkApplication(app, { seed: 7 });
 * if (report.findings.length > 0) throw new Error(reportText(report));
 * ```
 */
export async function checkApplication(app: CheckedApp, options: CheckOptions = {}): Promise<CheckReport> {
  assertApplication("checkApplication", app, "write checkApplication(app)");
  checkNames("checkApplication", options, NAMES);
  const { document = openapi(app, { title: "Checked", version: "1" }), seed = 1, runs = 20, only } = options;
  checkInteger("checkApplication", "seed", seed, 0, 2 ** 31 - 1);
  checkInteger("checkApplication", "runs", runs, 1, 10_000);
  checkInteger("checkApplication", "timeoutMs", options.timeoutMs ?? 5000, 1, 2 ** 31 - 1);
  const schemas = new Schemas(document);
  const wildcards = new Wildcards(app.getRegisteredRoutes("", { details: true }));
  const all = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      knownOperation(method, template, operation, wildcards, schemas)
    )
  );
  const chosen = only === undefined
    ? all
    : all.filter(({ name, operation }) => only.some((one) => one === name || one === operation.operationId));
  const checker = new Checker(app, schemas, { ...options, seed, runs });
  for (const known of chosen) await checker.check(known);
  const missing = only?.filter((one) =>
    !chosen.some(({ name, operation }) => [name, operation.operationId].includes(one))
  );
  return {
    seed,
    operations: chosen.length,
    requests: checker.requests,
    findings: checker.findings,
    unchecked: [
      ...checker.unchecked,
      ...(document["x-not-expressible"] ?? []).map(({ method, path, reason }) => `${method} ${path}: ${reason}`),
      ...(missing ?? []).map((one) => `${one}: the document has no such operation`),
    ],
  };
}

/** One request's outcome. */
interface Outcome {
  readonly request: Request;
  readonly response: ReadResponse;
  /** Its fault, and what distinguishes that from other faults. */
  readonly fault?: { readonly kind: Finding["kind"]; readonly reason: string; readonly key: string };
}

class Checker {
  readonly findings: Finding[] = [];
  readonly unchecked: string[] = [];
  requests = 0;
  readonly #app: CheckedApp;
  readonly #schemas: Schemas;
  readonly #values: Values;
  readonly #options: CheckOptions & { readonly seed: number; readonly runs: number };

  constructor(
    app: CheckedApp,
    schemas: Schemas,
    options: CheckOptions & { readonly seed: number; readonly runs: number },
  ) {
    this.#app = app;
    this.#schemas = schemas;
    this.#values = new Values(schemas);
    this.#options = options;
  }

  async check(known: KnownOperation): Promise<void> {
    // a single operation gets the same requests as when all operations are checked
    const seed = (this.#options.seed + hashOf(known.name)) | 0;
    const { runs } = this.#options;
    let drafts: fc.Arbitrary<Draft>;
    let sample: Draft[];
    try {
      drafts = validDrafts(known, this.#values);
      sample = fc.sample(drafts, { seed, numRuns: runs });
    } catch (error) {
      if (!(error instanceof NoValueError)) throw error;
      this.unchecked.push(`${known.name}: ${error.message}`);
      return;
    }
    const faults = new Map<string, { draft: Draft; outcome: Outcome }>();
    const statuses = new Set<number>();
    for (const draft of sample) {
      const outcome = await this.#send(known, draft, true);
      statuses.add(outcome.response.status);
      if (outcome.fault !== undefined && !faults.has(outcome.fault.key)) {
        faults.set(outcome.fault.key, { draft, outcome });
      }
    }
    for (const [key, first] of faults) this.#report(known, await this.#smallest(known, drafts, seed, key) ?? first);
    if ([...statuses].every((status) => ELSE.has(status))) {
      const named = [...statuses].join(", ");
      const why = named === "404"
        ? "an example of its parameters can name something that exists"
        : "option headers can carry credentials";
      this.unchecked.push(`${known.name}: all valid requests got ${named}; ${why}`);
      if (!statuses.has(404)) return;
    }
    await this.#checkInvalid(known, largest(sample), new Set(faults.keys()));
  }

  /** Sends requests that the document forbids. */
  async #checkInvalid(known: KnownOperation, valid: Draft, reported: Set<string>): Promise<void> {
    for (const { draft, where, what, isUnreadable } of invalidDrafts(known, valid, this.#schemas)) {
      const key = `accepts ${where}`;
      if (reported.has(key)) continue;
      const outcome = await this.#send(known, draft, false);
      const { status } = outcome.response;
      if (status < 400) {
        reported.add(key);
        const reason = `the document forbids ${what} as ${where}`;
        this.#report(known, { draft, outcome: { ...outcome, fault: { kind: "accepts", reason, key } } });
      } else if (outcome.fault !== undefined && isUnreadable !== true && !reported.has(outcome.fault.key)) {
        reported.add(outcome.fault.key);
        this.#report(known, { draft, outcome });
      }
    }
  }

  /** Searches for a smaller request with the same fault. */
  async #smallest(
    known: KnownOperation,
    drafts: fc.Arbitrary<Draft>,
    seed: number,
    key: string,
  ): Promise<{ draft: Draft; outcome: Outcome } | undefined> {
    let found: { draft: Draft; outcome: Outcome } | undefined;
    let shrinks = 0;
    const property = fc.asyncProperty(drafts, async (draft) => {
      if (found !== undefined && ++shrinks > MOST_SHRINKS) return true;
      const outcome = await this.#send(known, draft, true);
      if (outcome.fault?.key !== key) return true;
      found = { draft, outcome };
      return false;
    });
    await fc.check(property, { seed, numRuns: this.#options.runs });
    return found;
  }

  async #send(known: KnownOperation, draft: Draft, isValid: boolean): Promise<Outcome> {
    let request = requestFor(known, draft, this.#options.headers);
    let response = await this.#respond(request);
    for (let i = 0; i < MOST_WAITS && response.status === 503 && response.headers.has("retry-after"); i++) {
      const seconds = Math.min(Number(response.headers.get("retry-after")) || 1, 5);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      request = requestFor(known, draft, this.#options.headers);
      response = await this.#respond(request);
    }
    const { status } = response;
    if (isValid && REFUSALS.has(status)) {
      const { where, why } = refusalIn(response.text ?? "");
      return {
        request,
        response,
        fault: { kind: "refuses", reason: `the document allows it: ${why}`, key: `refuses ${status} ${where}` },
      };
    }
    const fault = responseFault(known.operation, response, this.#schemas);
    if (fault === undefined) return { request, response };
    return { request, response, fault: { kind: "responds", reason: fault, key: `responds ${fault}` } };
  }

  async #respond(request: Request): Promise<ReadResponse> {
    const { timeoutMs = 5000 } = this.#options;
    // each from a new address, so that per-client limits do not end the check
    const count = this.requests++;
    const hostname = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
    const info = { remoteAddr: { transport: "tcp", hostname, port: 50_000 } };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      const response = await Promise.race([this.#app.fetch(request, info), late]);
      const { status, headers } = response;
      if (headers.get("content-type")?.startsWith("text/event-stream")) {
        await response.body?.cancel();
        return { status, headers, text: undefined };
      }
      return { status, headers, text: await Promise.race([response.text(), late]) };
    } finally {
      clearTimeout(timer);
    }
  }

  #report(known: KnownOperation, { draft, outcome }: { draft: Draft; outcome: Outcome }): void {
    const { request, response: { status, text = "" }, fault } = outcome;
    this.findings.push({
      kind: fault!.kind,
      operation: known.name,
      reason: fault!.reason,
      request: sentRequest(request, draft),
      response: { status, body: text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text },
    });
  }
}

/** The errors in a rejection, and where they are: problem details, as `validate` sends them. */
function refusalIn(text: string): { where: string; why: string } {
  try {
    const { errors, detail, title } = JSON.parse(text) as {
      errors?: readonly { in: string; pointer: string; message: string }[];
      detail?: string;
      title?: string;
    };
    if (!Array.isArray(errors) || errors.length === 0) return { where: "", why: detail ?? title ?? text.slice(0, 100) };
    const [{ in: part, pointer, message }] = errors as [{ in: string; pointer: string; message: string }];
    return { where: `${part}${pointer.replace(/\/\d+/g, "/*")}`, why: `${part}${pointer}: ${message}` };
  } catch {
    return { where: "", why: text.slice(0, 100) };
  }
}

/** Returns the shortest of the requests with the most parts: it offers the most to change. */
function largest(drafts: readonly Draft[]): Draft {
  const parts = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum, one) => sum + 1 + parts(one), 0)
      : 0;
  // a long list has no more kinds of parts
  const bounded = drafts.filter((one) => JSON.stringify(one).length < 2000);
  return [...bounded.length > 0 ? bounded : drafts].sort((a, b) =>
    parts(b) - parts(a) || JSON.stringify(a).length - JSON.stringify(b).length
  )[0]!;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 1;
}
