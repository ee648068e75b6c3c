import type {
  JsonSchema,
  OpenApiDocument,
  OpenApiMedia,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from "../document/openapi_document.ts";
import { routePath, type Wildcards } from "./client_routes.ts";
import { fieldStyles, isFreeQuery, styleOf } from "./parameter_style.ts";
import { comment, objectText, propertyName, type TypeContext, typeText, union } from "./type_text.ts";

/** The generator's input. */
export interface ClientSource {
  /** The application's document. */
  readonly document: OpenApiDocument;
  /** Which of its path parameters span several segments. */
  readonly wildcards: Wildcards;
  /** The command that regenerates the file. */
  readonly command: string;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Type names for all routes, by method. */
const TABLES: Readonly<Record<string, string>> = Object.fromEntries(
  METHODS.map((method) => [method, `${method[0]!.toUpperCase()}${method.slice(1)}Routes`]),
);

/** Names that the file uses itself, or that have a different meaning there. */
const TAKEN = new Set([
  ...Object.values(TABLES),
  ...[
    "Blob",
    "CallOf",
    "CallOptions",
    "Client",
    "ClientErrorStatus",
    "ClientOptions",
    "ErrorStatus",
    "Exclude",
    "Failure",
  ],
  ...["OtherStatus", "Promise", "ReadableStream", "Record", "RedirectStatus", "ServerErrorStatus", "ServerSentEvent"],
  ...["Success", "SuccessStatus", "Uint8Array", "AsyncIterable", "BodyInit", "createClient", "makeClient"],
]);

/** Names that TypeScript forbids for types. */
const WORDS = new Set(
  ("any as bigint boolean break case catch class const continue debugger default delete do else enum export extends " +
    "false finally for function if implements import in infer instanceof interface keyof let never new null number " +
    "object package private protected public readonly return static string super switch symbol this throw true try " +
    "type typeof undefined unknown var void while with yield").split(" "),
);

/**
 * Generates a client module: types for all routes, and a function that creates the client.
 *
 * @param source The input
 */
export function clientText({ document, wildcards, command }: ClientSource): string {
  return new ClientWriter(document, wildcards).write(command);
}

class ClientWriter {
  readonly #document: OpenApiDocument;
  readonly #wildcards: Wildcards;
  readonly #context: TypeContext;
  readonly #names: ReadonlyMap<string, string>;
  readonly #wire: string[] = [];
  /** Paths whose routes require no arguments, by method. */
  readonly #alone = new Map<string, string[]>();

  constructor(document: OpenApiDocument, wildcards: Wildcards) {
    this.#document = document;
    this.#wildcards = wildcards;
    this.#names = typeNames(Object.keys(document.components?.schemas ?? {}));
    this.#context = {
      nameOf: (component) => this.#names.get(component),
      resolve: (pointer) => resolved(document, pointer) as JsonSchema | undefined,
    };
  }

  write(command: string): string {
    const schemas = Object.entries(this.#document.components?.schemas ?? {}).map(([name, schema]) =>
      this.#component(this.#names.get(name)!, schema)
    );
    const used = METHODS.filter((method) => Object.values(this.#document.paths).some((item) => method in item));
    const tables = used.map((method) => this.#table(method));
    const calls = used.map((method) => this.#signatures(method));
    const wire = this.#wire.length === 0 ? "{}" : `{\n${this.#wire.join("\n")}\n  }`;
    const code = [
      ...schemas,
      ...tables,
      `/** Calls the routes. */\nexport interface Client {\n${calls.join("\n")}\n}`,
      "/**\n * Makes a client.\n *\n * @param options Where requests go: in a browser, to the page's own host by default\n */\n" +
      `export function createClient(options?: ClientOptions): Client {\n  return makeClient<Client>(${wire}, options);\n}`,
    ].join("\n\n");
    const types = IMPORTED.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
    return `// deno-lint-ignore-file
// deno-fmt-ignore-file
/* eslint-disable */
// Written by \`${oneLine(command)}\`, which writes it again when routes have changed.
${this.#missing()}import { makeClient } from "@sluice/openapi/client";
import type {
${types.map((name) => `  ${name},\n`).join("")}} from "@sluice/openapi/client";

${code}
`;
  }

  /**
   * The signatures for a method. Routes without required arguments have their own signature, in which the argument is
   * optional.
   */
  #signatures(method: string): string {
    const table = TABLES[method]!;
    const alone = this.#alone.get(method) ?? [];
    const optional = `  /** Sends a request with the method ${method.toUpperCase()}. */\n` +
      `  ${method}<Path extends ${alone.join(" | ")}>(\n    path: Path,\n    call?: CallOf<${table}[Path]>,\n` +
      `  ): Promise<${table}[Path]["result"]>;`;
    const required = `  /** Sends a request with the method ${method.toUpperCase()}. */\n` +
      `  ${method}<Path extends keyof ${table}>(\n    path: Path,\n    call: CallOf<${table}[Path]>,\n` +
      `  ): Promise<${table}[Path]["result"]>;`;
    const count = Object.values(this.#document.paths).filter((item) => method in item).length;
    return [...alone.length > 0 ? [optional] : [], ...alone.length < count ? [required] : []].join("\n");
  }

  #missing(): string {
    const missing = (this.#document["x-not-expressible"] ?? []).filter(({ reason }) =>
      // without one of its schemas, the route is still callable
      !/^its [\w ]+: /.test(reason)
    );
    return missing.map(({ method, path, reason }) => `// Without ${oneLine(`${method} ${path}: ${reason}`)}\n`).join(
      "",
    );
  }

  #component(name: string, schema: JsonSchema): string {
    const isObject = schema["type"] === "object" && !["allOf", "anyOf", "oneOf", "$ref"].some((one) => one in schema);
    const text = isObject ? objectText(schema, this.#context, "") : typeText(schema, this.#context);
    const about = comment(schema, "");
    // an interface is resolved once, and appears by name in compiler messages
    if (text.startsWith("{") && isObject) return `${about}export interface ${name} ${text}`;
    return `${about}export type ${name} = ${text};`;
  }

  #table(method: string): string {
    const rows = Object.entries(this.#document.paths).flatMap(([template, item]) => {
      const operation = item[method];
      return operation === undefined ? [] : [this.#route(method, template, operation)];
    });
    return `/** Parameters and responses of each route for ${method.toUpperCase()}. */\n` +
      `export interface ${TABLES[method]} {\n${rows.join("\n")}\n}`;
  }

  #route(method: string, template: string, operation: OpenApiOperation): string {
    const spans = this.#wildcards.of(template);
    const path = routePath(template, spans);
    const styles: string[] = [];
    const parts = new Map<string, string[]>();
    const required = new Set<string>();
    const inPath = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!);
    for (const parameter of operation.parameters ?? []) {
      const part = PARTS[parameter.in];
      const fields = parts.get(part) ?? [];
      parts.set(part, fields);
      const isList = parameter.in === "path" && spans[inPath.indexOf(parameter.name)] === true;
      const style = styleOf(parameter);
      fields.push(this.#parameter(parameter, isList));
      if (style !== undefined) styles.push(`${JSON.stringify(`${part}.${parameter.name}`)}: ${JSON.stringify(style)}`);
      if (parameter.required === true) required.add(part);
    }
    const names = new Set((operation.parameters ?? []).filter((one) => one.in === "path").map(({ name }) => name));
    const unsaid = inPath.filter((name) => !names.has(name));
    if (unsaid.length > 0) {
      const fields = unsaid.map((name) => `        ${propertyName(name)}: string | number;`);
      parts.set("params", [...parts.get("params") ?? [], ...fields]);
      required.add("params");
    }
    const members = ["params", "query", "headers", "cookies"].flatMap((part) => {
      const fields = parts.get(part) ?? [];
      if (part === "headers") fields.push("        [name: string]: unknown;");
      else if (fields.length === 0) return [];
      return [`      ${part}${required.has(part) ? "" : "?"}: {\n${fields.join("\n")}\n      };`];
    });
    for (const [name, style] of fieldStyles(operation)) {
      styles.push(`${JSON.stringify(`body.${name}`)}: ${JSON.stringify(style)}`);
    }
    const body = this.#body(method, operation);
    if (body.wire !== undefined || styles.length > 0 || hasJsonEvents(operation, this.#document)) {
      const said = [
        ...body.wire === undefined ? [] : [`type: ${JSON.stringify(body.wire)}`],
        ...styles.length === 0 ? [] : [`styles: { ${styles.join(", ")} }`],
        ...hasJsonEvents(operation, this.#document) ? ["jsonEvents: true"] : [],
      ];
      this.#wire.push(`    ${JSON.stringify(`${method} ${path}`)}: { ${said.join(", ")} },`);
    }
    const isOptional = required.size === 0 && !body.isRequired;
    const others = body.fields.length === 0
      ? ""
      : ` & ${body.fields.length > 1 ? `(${body.fields.join(" | ")})` : body.fields[0]}`;
    if (isOptional) this.#alone.set(method, [...this.#alone.get(method) ?? [], JSON.stringify(path)]);
    const call = `CallOptions & {\n${members.join("\n")}\n    }${others}`;
    return `${comment(operation, "  ")}  ${JSON.stringify(path)}: {\n    call: ${call};\n    result:\n${
      this.#results(operation).map((one) => `      | ${one}`).join("\n")
    };\n  };`;
  }

  #parameter(parameter: OpenApiParameter, isList: boolean): string {
    const { name, required, schema } = parameter;
    const indent = "        ";
    // any name is a parameter
    if (isFreeQuery(parameter, this.#context.resolve)) return `${indent}[name: string]: unknown;`;
    const isText = parameter.in === "path" && JSON.stringify(schema) === '{"type":"string"}';
    const text = isList
      ? "string | readonly string[]"
      : isText
      ? "string | number"
      : typeText(schema, this.#context, indent);
    const mark = required === true ? "" : "?";
    return `${comment(parameter, indent)}${indent}${propertyName(name)}${mark}: ${text};`;
  }

  #body(method: string, { requestBody }: OpenApiOperation): BodyText {
    if (requestBody === undefined) {
      const none = !["post", "put", "patch"].includes(method);
      return { fields: none ? [] : ["{ json?: unknown; body?: BodyInit }"], isRequired: false };
    }
    const content = Object.entries(requestBody.content);
    const isRequired = requestBody.required === true;
    const mark = isRequired ? "" : "?";
    const others = content.filter(([type]) => !(type in BODIES) && !type.endsWith("+json"));
    const json = content.find(([type]) => type.endsWith("+json"))?.[0];
    const fields = content.filter(([type]) => type in BODIES || type.endsWith("+json")).map(([type, media]) => {
      const text = typeText(media.schema ?? true, this.#context, "    ");
      const name = BODIES[type] ?? "json";
      const shown = name !== "json" && text === "unknown" ? "Record<string, unknown>" : text;
      return `{ ${name}${text === "unknown" ? "?" : mark}: ${shown} }`;
    });
    if (others.length === 0) {
      const isOther = json !== undefined && requestBody.content["application/json"] === undefined;
      return { fields: [...new Set(fields)], isRequired, ...isOther ? { wire: json } : {} };
    }
    // the only known media type need not be given
    const only = others.length === 1 && !others[0]![0].includes("*") ? others[0]![0] : undefined;
    const type = only === undefined ? `; contentType: ${union(others.map(([name]) => contentType(name)))}` : "";
    const raw = `{ body${mark}: BodyInit${isRequired ? type : type.replace(":", "?:")} }`;
    return { fields: [...new Set(fields), raw], isRequired, ...only === undefined ? {} : { wire: only } };
  }

  #results({ responses }: OpenApiOperation): string[] {
    const exact = Object.keys(responses).filter((status) => /^\d{3}$/.test(status));
    const found = exact.map((status) =>
      `${status.startsWith("2") ? "Success" : "Failure"}<${status}, ${this.#data(status, responses[status]!)}>`
    );
    const known = (all: readonly string[], of: string) => all.length === 0 ? of : `Exclude<${of}, ${all.join(" | ")}>`;
    const ranges = Object.keys(RANGES).filter((range) => range in responses);
    for (const range of ranges) {
      const kind = range === "2XX" ? "Success" : "Failure";
      found.push(`${kind}<${known(exact, RANGES[range]!)}, ${this.#data(range, responses[range]!)}>`);
    }
    const all = [...exact, ...ranges.map((range) => RANGES[range]!)];
    const others = responses["default"];
    if (others !== undefined) {
      const data = this.#data("default", others);
      if (!ranges.includes("2XX")) found.push(`Success<${known(all, "SuccessStatus")}, ${data}>`);
      return [...found, `Failure<${known(all, "ErrorStatus")}, ${data}>`];
    }
    if (!found.some((one) => one.startsWith("Success"))) found.unshift("Success<SuccessStatus, unknown>");
    return [...found, `OtherStatus<${all.join(" | ") || "never"}>`];
  }

  #data(status: string, { content }: OpenApiResponse): string {
    if (content === undefined) return /^(?:204|205|304)$/.test(status) ? "undefined" : "unknown";
    return union(Object.entries(content).map(([type, media]) => this.#received(type, media)));
  }

  #received(type: string, { schema }: OpenApiMedia): string {
    const name = type.split(";")[0]!.trim().toLowerCase();
    const text = typeText(schema ?? true, this.#context, "      ");
    // a range that may include JSON
    const isAny = /^(?:\*|application)\/\*$/.test(name) && text !== "Blob";
    if (name === "application/json" || name.endsWith("+json") || isAny) return text;
    if (name === "text/event-stream") return `AsyncIterable<ServerSentEvent${schema === undefined ? "" : `<${text}>`}>`;
    if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)$/.test(name)) return `AsyncIterable<${text}>`;
    if (name.startsWith("text/") || name.endsWith("xml")) return "string";
    if (name === "multipart/form-data" || name === "application/x-www-form-urlencoded") return "FormData";
    return "ReadableStream<Uint8Array>";
  }
}

/** A body's generated types. */
interface BodyText {
  /** Its fields, per media type; a call has the fields for one of them. */
  readonly fields: readonly string[];
  /** Whether a call without it fails to compile. */
  readonly isRequired: boolean;
  /** The media type for `body`, which the client sets itself. */
  readonly wire?: string;
}

/** The parts of a request: OpenAPI's names, and the framework's. */
const PARTS = { path: "params", query: "query", header: "headers", cookie: "cookies" } as const;

/** Fields for bodies with known media types; others are sent unchanged. */
const BODIES: Readonly<Record<string, string>> = {
  "application/json": "json",
  "multipart/form-data": "form",
  "application/x-www-form-urlencoded": "urlencoded",
};

/** Status ranges, and their types. */
const RANGES: Readonly<Record<string, string>> = {
  "2XX": "SuccessStatus",
  "3XX": "RedirectStatus",
  "4XX": "ClientErrorStatus",
  "5XX": "ServerErrorStatus",
};

/** Type imports that the file may need. */
const IMPORTED = [
  ...[
    "CallOf",
    "CallOptions",
    "ClientErrorStatus",
    "ClientOptions",
    "ErrorStatus",
    "Failure",
    "OtherStatus",
    "RedirectStatus",
  ],
  ...["ServerErrorStatus", "ServerSentEvent", "Success", "SuccessStatus"],
];

function contentType(type: string): string {
  return type.includes("*") ? "string" : JSON.stringify(type);
}

function hasJsonEvents({ responses }: OpenApiOperation, document: OpenApiDocument): boolean {
  return Object.values(responses).some(({ content }) => {
    const schema = content?.["text/event-stream"]?.schema;
    if (schema === undefined) return false;
    const { $ref } = schema;
    const { type } = (typeof $ref === "string" ? resolved(document, $ref) as JsonSchema | undefined : schema) ?? {};
    return type !== "string";
  });
}

function resolved(document: OpenApiDocument, pointer: string): unknown {
  const keys = pointer.split("/").slice(1);
  return keys.reduce<unknown>((value, key) => {
    const name = decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }, document);
}

/** Unique type names for components. */
function typeNames(components: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(TAKEN);
  for (const component of components) {
    const plain = component.replace(/[^\p{ID_Continue}$]+/gu, "_").replace(/^(?!\p{ID_Start}|[$_])/u, "_");
    const wanted = taken.has(plain) || WORDS.has(plain) ? `${plain}Schema` : plain;
    let name = wanted;
    for (let i = 2; taken.has(name); i++) name = `${wanted}${i}`;
    taken.add(name);
    names.set(component, name);
  }
  return names;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
