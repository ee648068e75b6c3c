import type { JsonSchema, OpenApiDocument, OpenApiOperation, OpenApiParameter } from "../document/openapi_document.ts";
import { inputSchemaOf } from "./input_schema.ts";
import { writePath } from "./write_path.ts";

/** An application, or any other object with its `inject`. */
export interface Injectable {
  /** Sends a request to the application. */
  inject(path: string, init: AgentRequest & { method: string; body?: string }): Promise<Response>;
}

/** Fields that a program adds to a call's request, outside the model's control. */
export interface AgentRequest {
  /** Headers, such as those for the user on whose behalf the agent acts. */
  headers?: HeadersInit;
  /** Aborts the request. */
  signal?: AbortSignal;
  /** A Worker's bindings, for `req.env`. */
  env?: object;
  /** A Worker's execution context. */
  ctx?: object;
  /** The user's IP address, for `req.ip` and limiters; `"127.0.0.1"` by default. */
  remoteAddress?: string;
}

/** A call's result. */
export interface AgentResult {
  /** The response status. */
  readonly status: number;
  /** The body: the value if it is JSON, otherwise a string. */
  readonly body: unknown;
}

/**
 * A tool for an agent: one operation in an API.
 *
 * @example A tool for the AI SDK
 * ```ts ignore
 * import { jsonSchema, tool } from "ai";
 *
 * const ofAiSdk = ({ description, inputSchema, call }: AgentTool) =>
 *   tool({ description, inputSchema: jsonSchema(inputSchema), execute: (input) => call(input) });
 * ```
 */
export interface AgentTool {
  /** The operation's name; only letters, digits, `_` and `-`, at most 64, as providers require. */
  readonly name: string;
  /** The operation's description; method and path if it has none. */
  readonly description: string;
  /** JSON Schema for the input: path and query parameters by name, and `body`. */
  readonly inputSchema: JsonSchema;
  /** The operation's method, in upper case. */
  readonly method: string;
  /** Its path, as in the document: `/notes/{id}`. */
  readonly path: string;
  /** The operation itself, with its tags. */
  readonly operation: OpenApiOperation;
  /**
   * Sends the request. The application's rejection is also a result, so the model can correct itself.
   *
   * @param input The model's input, following the schema; unknown names are ignored
   * @param request Headers and other fields outside the model's control
   * @returns The response
   * @throws {TypeError} If a path parameter is missing, empty, `.` or `..`, which would lead to a different route
   */
  call(input: Readonly<Record<string, unknown>>, request?: AgentRequest): Promise<AgentResult>;
}

/**
 * Creates agent tools from a document's operations: a model can do exactly what the routes do, with their checks,
 * limits and errors.
 *
 * Parameters in headers and cookies are not part of the input, because a model must not choose its identity: pass them
 * to `call`. Operations with a body other than JSON are left out, as are those hidden by `operation({ hide: true })`.
 *
 * @param app The application, called in process
 * @param document Its document, from `openapi(app, info)`
 * @returns A tool for each operation, in document order
 * @throws {TypeError} If the document is missing
 *
 * @example What a model may do
 * ```ts
 * import { agentTools, openapi, operation, validate } from "@sluice/openapi";
 * import sluice from "@sluice/sluice";
 * import { z } from "zod";
 *
 * const app = sluice();
 * app.get(
 *   "/notes/:id",
 *   operation({ operationId: "readNote", summary: "A note by its number" }),
 *   validate({ params: z.object({ id: z.coerce.number<string>() }) }),
 *   (req, res) => res.json({ id: req.params.id }),
 * );
 * const [readNote] = agentTools(app, openapi(app, { title: "Notes", version: "1.0.0" }));
 * console.log(readNote?.name, await readNote?.call({ id: "7" })); // readNote { status: 200, body: { id: 7 } }
 * ```
 */
export function agentTools(app: Injectable, document: OpenApiDocument): AgentTool[] {
  if (typeof document?.paths !== "object" || typeof app?.inject !== "function") {
    throw new TypeError(
      'agentTools: write agentTools(app, document), with document = openapi(app, { title: "Books", version: "1.0.0" })',
    );
  }
  const names = new Set<string>();
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]): AgentTool[] => {
      const types = Object.keys(operation.requestBody?.content ?? {});
      const type = types.find((one) => /^application\/(?:[\w.+-]+\+)?json\b/i.test(one));
      if (types.length > 0 && type === undefined && operation.requestBody?.required !== false) return [];
      const inputs = inputsOf(operation);
      return [{
        name: nameOf(operation, names),
        description: [operation.summary, operation.description].filter(Boolean).join("\n\n") ||
          `${method.toUpperCase()} ${path}`,
        inputSchema: inputSchemaOf(inputs, operation, type, document),
        method: method.toUpperCase(),
        path,
        operation,
        call: (input, request = {}) =>
          send(app, method.toUpperCase(), writePath(path, inputs, input), {
            ...request,
            ...type === undefined || input["body"] === undefined ? {} : { type, body: JSON.stringify(input["body"]) },
          }),
      }];
    })
  );
}

/** Parameters that a model chooses, by their names in its input. */
export type Inputs = ReadonlyMap<string, OpenApiParameter>;

function inputsOf({ parameters = [] }: OpenApiOperation): Inputs {
  const inputs = new Map<string, OpenApiParameter>();
  for (const one of parameters) {
    if (one.in !== "path" && one.in !== "query") continue;
    // the body, or a path parameter, may have the same name
    const isTaken = one.name === "body" || inputs.has(one.name);
    inputs.set(isTaken ? `${one.in}_${one.name}` : one.name, one);
  }
  return inputs;
}

function nameOf({ operationId }: OpenApiOperation, names: Set<string>): string {
  const wanted = operationId.replaceAll(/[^\w-]+/g, "_").slice(0, 60);
  let name = wanted;
  for (let i = 2; names.has(name); i++) name = `${wanted}_${i}`;
  names.add(name);
  return name;
}

interface Sent extends AgentRequest {
  readonly type?: string;
  readonly body?: string;
}

async function send(app: Injectable, method: string, path: string, { type, ...init }: Sent): Promise<AgentResult> {
  const headers = new Headers(init.headers);
  if (type !== undefined) headers.set("Content-Type", type);
  if (!headers.has("Accept")) headers.set("Accept", "application/json, text/plain;q=0.9, */*;q=0.8");
  const response = await app.inject(path, { ...init, method, headers });
  const text = await response.text();
  const isJson = /\bjson\b/i.test(response.headers.get("Content-Type") ?? "") && text !== "";
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}
