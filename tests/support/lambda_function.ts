/** Functions in AWS's own runtime client, and events as Lambda delivers them. */
import { bundled } from "../contracts/bundled.ts";
import { type Serving, startServing } from "../contracts/serving.ts";
import { placeCopy } from "./put_file.ts";

const RUNTIMES = Deno.env.get("SLUICE_RUNTIMES");

/** Whether Lambda tests are skipped because the client is missing. */
export const skipLambda: boolean = RUNTIMES === undefined;

/** The parts of an event that tests change. */
export type Event = Record<string, unknown>;

/** A function's result. */
export interface Result {
  readonly statusCode: number;
  readonly statusDescription?: string;
  readonly headers?: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly cookies?: string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** A running function. */
export interface LambdaFunction extends AsyncDisposable {
  /** Its function URL. */
  readonly origin: string;
  /** Invokes it with an event, and returns its response. */
  payload(event: unknown): Promise<string>;
  /** The same for a function that returns its response. */
  invoke(event: unknown): Promise<Result>;
}

/**
 * Runs a function.
 *
 * @param path The module's path relative to the root
 */
export async function startLambda(path: string): Promise<LambdaFunction> {
  const host = `${RUNTIMES}lambda.mjs`;
  await placeCopy(new URL("../contracts/hosts/lambda.mjs", import.meta.url), host);
  const serving: Serving = await startServing("node", [host, await bundled(path, "deno")]);
  const payload = async (event: unknown): Promise<string> => {
    const init = { method: "POST", body: JSON.stringify(event) };
    const response = await serving.ask("/2015-03-31/functions/function/invocations", init);
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    return text;
  };
  const invoke = async (event: unknown): Promise<Result> => JSON.parse(await payload(event));
  return { origin: serving.origin, payload, invoke, [Symbol.asyncDispose]: () => serving.stop() };
}

/** Reads a recorded event. */
export async function recorded(name: string): Promise<Event> {
  return JSON.parse(await Deno.readTextFile(new URL(`../fixtures/events/${name}.json`, import.meta.url)));
}

/** A recorded event with a different path and method. */
export async function asking(name: string, path: string, method = "GET"): Promise<Event> {
  const { body: _, ...event } = await recorded(name);
  for (const headers of [event["headers"], event["multiValueHeaders"]] as (Event | undefined)[]) {
    for (const key of Object.keys(headers ?? {})) if (/^content-/i.test(key)) delete headers![key];
  }
  const context = event["requestContext"] as { http?: object };
  if (context.http === undefined) return { ...event, path, httpMethod: method };
  return { ...event, rawPath: path, requestContext: { ...context, http: { ...context.http, method } } };
}
