/** Generators of clients, the programs that call their clients, and what their clients cannot send. */
import { type DraftRequest, TextFile } from "./document_requests.ts";

/** A generator, and how to call its clients. */
export interface Generator {
  /** Its package. */
  readonly name: string;
  /** The packages that a user installs. */
  readonly packages: readonly string[];
  /**
   * Its command.
   *
   * @param document Path of the document
   * @param folder Path of the client's folder
   */
  command(document: string, folder: string): readonly string[];
  /** The start of a program next to the client: imports, and the function `file`. */
  readonly imports: string;
  /** A statement that makes the client call `fetch`. */
  readonly connect: string;
  /** An expression that sends a request through the client. */
  call(draft: DraftRequest): string;
  /**
   * What its clients cannot express, by operation and by the part of the request that is refused or arrives differently.
   * `types` is code that does not compile.
   */
  readonly cannot: Readonly<Record<string, string>>;
  /** Operations whose requests its clients never get right. */
  readonly never?: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

/** A value as source text. */
function literal(value: unknown): string {
  if (value instanceof TextFile) return `file(${literal(value.content)}, ${literal(value.type)})`;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${literal(one)}`).join(", ")} }`;
}

/** The parameters in one part of a request. */
function valuesIn({ values }: DraftRequest, part: string): Values {
  return Object.fromEntries(
    values.filter(({ parameter }) => parameter.in === part).map(({ parameter, value }) => [parameter.name, value]),
  );
}

/** The parts of a request that have values. */
function present(parts: Readonly<Record<string, Values>>): Record<string, Values> {
  return Object.fromEntries(Object.entries(parts).filter(([, values]) => Object.keys(values).length > 0));
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/^\w/, (one) => one.toLowerCase());
}

const FILE = `
function file(content: string, type: string): File {
  return new File([content], "file", { type });
}
`;

/** No client sends cookies: browsers do, and elsewhere callers can set the header. */
const COOKIES = { "getV1Orders cookies/theme": "cookies", "getV1Orders cookies/seen": "cookies" };

export const GENERATORS: readonly Generator[] = [
  {
    name: "openapi-typescript",
    packages: ["openapi-typescript", "openapi-fetch"],
    command: (document, folder) => [
      ...["openapi-typescript", document, "--default-non-nullable=false"],
      ...["-o", `${folder}/api.d.ts`],
    ],
    // only types are generated: calls say what differs from openapi-fetch's default
    imports: `
import createClient, { createQuerySerializer } from "openapi-fetch";
import type { paths } from "./api.d.ts";

type Style = { style: "form" | "pipeDelimited" | "spaceDelimited"; explode: boolean };

function inStyles(styles: Record<string, Style>) {
  return (query: Record<string, unknown>) =>
    Object.entries(query).map(([name, value]) => {
      const array = styles[name] ?? { style: "form", explode: true };
      return createQuerySerializer({ array })({ [name]: value });
    }).join("&");
}

function file(content: string, type: string): string {
  // the types have strings for files
  return new File([content], "file", { type }) as unknown as string;
}
`,
    connect: `const client = createClient<paths>({ baseUrl: "http://localhost", fetch: (request) => fetch(request) });`,
    call: (draft) => {
      const { path, method, body, values } = draft;
      const params = present({
        path: valuesIn(draft, "path"),
        query: valuesIn(draft, "query"),
        header: valuesIn(draft, "header"),
        cookie: valuesIn(draft, "cookie"),
      });
      const styles = Object.fromEntries(
        values.filter(({ parameter }) => parameter.in === "query" && parameter.explode === false)
          .map(({ parameter: { name, style = "form" } }) => [name, { style, explode: false }]),
      );
      const init = [`params: ${literal(params)}`];
      if (Object.keys(styles).length > 0) init.push(`querySerializer: inStyles(${literal(styles)})`);
      if (body !== undefined) {
        init.push(`body: ${literal(body.value)}`);
        if (body.type === "multipart/form-data") init.push("bodySerializer: toForm");
        else if (body.type !== "application/json") init.push(`headers: { "content-type": ${literal(body.type)} }`);
        if (body.type.startsWith("text/")) init.push("bodySerializer: String");
      }
      return `client.${method.toUpperCase()}(${literal(path)}, { ${init.join(", ")} })`;
    },
    cannot: {
      ...COOKIES,
      "getV1Search not sent": "lists inside objects in queries",
      "postV1Feedback body/tags": "lists in urlencoded forms",
    },
  },
  {
    name: "@hey-api/openapi-ts",
    packages: ["@hey-api/openapi-ts"],
    command: (document, folder) => ["openapi-ts", "-i", document, "-o", folder, "--no-log-file"],
    imports: `
import * as api from "./index";
import { client } from "./client.gen";
${FILE}`,
    // a call with a client of its own would pass it to Request, where Deno expects an HttpClient
    connect: `client.setConfig({ baseUrl: "http://localhost", fetch, throwOnError: true });`,
    call: (draft) => {
      const options = present({
        path: valuesIn(draft, "path"),
        query: valuesIn(draft, "query"),
        headers: valuesIn(draft, "header"),
      });
      const { operation, body } = draft;
      return `api.${operation.operationId}(${
        literal(body === undefined ? options : { ...options, body: body.value })
      })`;
    },
    cannot: { ...COOKIES, "getV1Search not sent": "lists inside objects in queries" },
  },
  {
    name: "oazapfts",
    packages: ["oazapfts", "@oazapfts/runtime"],
    command: (document, folder) => ["oazapfts", document, `${folder}/api.ts`, "--argumentStyle=object"],
    imports: `
import * as api from "./api";
${FILE}`,
    connect: `const options = { baseUrl: "http://localhost", fetch };`,
    call: ({ operation, values, body }) => {
      const own: Record<string, unknown> = {};
      for (const { parameter, value } of values) own[camelCase(parameter.name)] = value;
      let options = "options";
      if (body !== undefined) {
        const reference = body.media.schema?.["$ref"];
        own[typeof reference === "string" ? camelCase(reference.split("/").at(-1)!) : "body"] = body.value;
        // fetch would send text/plain
        if (body.type.startsWith("text/")) {
          options = `{ ...options, headers: { "content-type": ${literal(body.type)} } }`;
        }
      }
      const takesNone = operation.parameters === undefined && operation.requestBody === undefined;
      return `api.${operation.operationId}(${takesNone ? "" : `${literal(own)}, `}${options})`;
    },
    cannot: {
      ...COOKIES,
      // the compiler refuses lists as headers, and for encodeURIComponent; without types, both are sent correctly
      "getV1Orders types": "lists in headers and paths (its code does not compile)",
      "getV1OrdersByIdsState types": "lists in headers and paths (its code does not compile)",
      "postV1Feedback body/tags": "lists in urlencoded forms",
    },
  },
  {
    name: "swagger-typescript-api",
    packages: ["swagger-typescript-api"],
    command: (document, folder) => [
      ...["swagger-typescript-api", "generate", "-p", document, "-o", folder, "-n", "api.ts", "--silent"],
    ],
    imports: `
import { Api } from "./api";
${FILE}`,
    connect: `const { v1 } = new Api({ baseUrl: "http://localhost", customFetch: fetch });`,
    call: (draft) => {
      const { operation, path, body } = draft;
      const own = valuesIn(draft, "path");
      const args: unknown[] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => own[name!]);
      if (operation.parameters?.some((one) => one.in === "query")) args.push(valuesIn(draft, "query"));
      if (body !== undefined) args.push(body.value);
      // headers have no types: callers write them
      const headers = Object.entries(valuesIn(draft, "header")).map(([name, value]) => [name, String(value)]);
      if (headers.length > 0) args.push({ headers: Object.fromEntries(headers) });
      return `v1.${operation.operationId}(${args.map(literal).join(", ")})`;
    },
    cannot: {
      ...COOKIES,
      "getV1FilesByPath 400": "characters in paths that must be encoded",
      "getV1Search query/filter": "objects in queries",
      "postV1CustomersByIdAvatar body/tags": "lists in multipart forms",
      "postV1Documents body/more": "lists in multipart forms",
      "postV1Import 415": "media types such as `text/csv`",
    },
    never: ["postV1CustomersByIdAvatar", "postV1Import"],
  },
];
