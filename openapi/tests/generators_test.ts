/** Clients from four generators send valid requests to every operation, and handlers receive what callers passed. */
import { openapi, type OpenApiDocument } from "@sluice/openapi";
import { assertEquals } from "@std/assert";
import { withSection } from "../../scripts/section.ts";
import { table } from "../../tests/ecosystem/support/page.ts";
import { random } from "../../tests/support/random.ts";
import { DocumentRequests, type DraftRequest, TextFile, toForm } from "./support/document_requests.ts";
import { DocumentResponses } from "./support/document_responses.ts";
import { type GeneratedClient, generatedClients, generatorVersions } from "./support/generated_clients.ts";
import { type Generator, GENERATORS } from "./support/generators.ts";
import { differences, type Received, receives } from "./support/received.ts";
import { shop } from "./support/shop.ts";

/** Requests per operation and generator. */
const ROUNDS = 12;

/** Characters with a meaning in URLs, headers or forms. */
const LETTERS = "ab é%&+,=/|;";

const README = new URL("../README.md", import.meta.url);
const OPTIONS = { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } };

let received: Received | undefined;
const app = shop("test", receives((one) => void (received = one)));
const document: OpenApiDocument = openapi(app, { title: "Shop", version: "1" }, OPTIONS);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
);
const drafts = makeDrafts();
const responses = new DocumentResponses(document);
const defaults = new Map(defaultsIn(document));

/** What a client's requests led to. */
interface Outcome {
  /** What was refused or arrived differently, by operation and part of the request, each with an example. */
  readonly faults: ReadonlyMap<string, string>;
  /** Operations whose requests were sent. */
  readonly called: ReadonlySet<string>;
  /** Operations that refused a request. */
  readonly refused: ReadonlySet<string>;
  /** Operations that received a request unchanged. */
  readonly intact: ReadonlySet<string>;
}

const outcomes = new Map<Generator, Promise<Outcome>>();
let clients: ReturnType<typeof generatedClients> | undefined;

/** Sends the requests through a generator's client, once. */
function outcomeOf(generator: Generator): Promise<Outcome> {
  clients ??= generatedClients(GENERATORS, document, drafts);
  const outcome = outcomes.get(generator) ?? clients.then((all) => sendThrough(all.get(generator)!));
  outcomes.set(generator, outcome);
  return outcome;
}

Deno.test("the requests have values in every serialization, and leave out defaults", () => {
  assertEquals([...new Set(drafts.flatMap(featuresOf))].sort(), [
    "a JSON part",
    "a date",
    "a date and time",
    "a file",
    "a list of one in a cookie",
    "a list of one in a header",
    "a list of one in a multipart form",
    "a list of one in a path",
    "a list of one in a query",
    "a list of one in an urlencoded form",
    "a list of several in a cookie",
    "a list of several in a header",
    "a list of several in a multipart form",
    "a list of several in a path",
    "a list of several in a query",
    "a list of several in an urlencoded form",
    "a list with commas in a query",
    "a list with pipes in a query",
    "an object in a query",
    "no default",
    "several files",
  ]);
});

for (const generator of GENERATORS) {
  Deno.test(`a client by ${generator.name} calls every operation, and handlers receive what it was passed`, async () => {
    const { faults, called, intact } = await outcomeOf(generator);
    const ids = operations.map(({ operation }) => operation.operationId!);
    // a listed one that has begun to work is a failure, too
    assertEquals([...faults.keys()].sort(), Object.keys(generator.cannot).sort(), shown(faults));
    assertEquals(ids.filter((id) => !called.has(id)), []);
    assertEquals(ids.filter((id) => !intact.has(id)), generator.never ?? []);
  });
}

Deno.test("the README says what each generator's clients cannot express", async () => {
  const versions = await generatorVersions();
  const rows: string[][] = [];
  for (const generator of GENERATORS) {
    const { called, refused } = await outcomeOf(generator);
    rows.push([
      generator.packages.map((name) => `\`${name}\` ${versions[name]}`).join(", "),
      String(called.size),
      String(refused.size),
      [...new Set(Object.values(generator.cannot))].join("; "),
    ]);
  }
  const head = ["generator", "operations called", "operations that refused a request", "its clients cannot express"];
  const committed = await Deno.readTextFile(README);
  const page = withSection(committed, "generators", table(head, rows));
  if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(README, page);
  else {
    assertEquals(
      committed,
      page,
      "write it with SLUICE_WRITE_DOCS=1 deno task test --only=openapi/tests/generators_test.ts",
    );
  }
});

function makeDrafts(): DraftRequest[] {
  const requests = new DocumentRequests(document, random(11), LETTERS);
  return Array.from(
    { length: ROUNDS },
    () => operations.map(({ path, method, operation }) => requests.draft(path, method, operation)),
  ).flat();
}

/** The defaults of parameters and properties, by name. */
function defaultsIn(value: unknown): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
    // a parameter has its name next to its schema
    const name = key === "schema" && "name" in value ? String(value.name) : key;
    const own: [string, unknown][] = Object.hasOwn(Object(one), "default") ? [[name, one.default]] : [];
    return [...own, ...defaultsIn(one)];
  });
}

/** What is special about a request's values. */
function featuresOf({ operation, values, body }: DraftRequest): string[] {
  const found: string[] = [];
  for (const { parameter: { in: part, style, explode }, value } of values) {
    if (Array.isArray(value)) {
      found.push(listIn(`a ${part}`, value));
      if (part === "query" && explode === false) {
        found.push(`a list with ${style === "pipeDelimited" ? "pipes" : "commas"} in a query`);
      }
    } else if (typeof value === "object") found.push("an object in a query");
    else if (/^\d{4}-\d\d-\d\d$/.test(String(value))) found.push("a date");
  }
  const sent = new Set(values.map(({ parameter }) => parameter));
  if (operation.parameters?.some((one) => !sent.has(one) && "default" in one.schema)) found.push("no default");
  if (body === undefined) return found;
  if (/"\d{4}-\d\d-\d\dT/.test(JSON.stringify(body.value))) found.push("a date and time");
  if (!body.type.includes("form")) return found;
  const form = body.type === "multipart/form-data" ? "a multipart form" : "an urlencoded form";
  for (const value of Object.values(body.value as object)) {
    if (value instanceof TextFile) found.push("a file");
    else if (Array.isArray(value)) found.push(value[0] instanceof TextFile ? "several files" : listIn(form, value));
    else if (typeof value === "object") found.push("a JSON part");
  }
  return found;
}

function listIn(part: string, list: readonly unknown[]): string {
  return `a list of ${list.length === 1 ? "one" : "several"} in ${part}`;
}

async function sendThrough({ calls, errors }: GeneratedClient): Promise<Outcome> {
  const faults = new Map([...errors].map(([id, text]) => [`${id} types`, text]));
  const [called, refused, intact] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let response: { readonly status: number; readonly text: string } | undefined;
  const send = calls(async (input, init) => {
    const own = await app.fetch(new Request(input, init));
    response = { status: own.status, text: await own.clone().text() };
    return own;
  }, toForm);
  assertEquals(send.length, drafts.length);
  for (const [index, draft] of drafts.entries()) {
    const id = draft.operation.operationId!;
    response = received = undefined;
    const failure = await send[index]!().then(() => undefined, (error: unknown) => error);
    if (response === undefined) {
      faults.set(`${id} not sent`, String(failure));
      continue;
    }
    const { status, text } = response;
    called.add(id);
    if (status >= 400) refused.add(id);
    const found = status >= 400 ? refusedParts(status, text) : await changedParts(draft, status, text);
    if (found.length === 0) intact.add(id);
    for (const [part, example] of found) faults.set(`${id} ${part}`, example);
  }
  return { faults, called, refused, intact };
}

/** The parts of a request to which a refusal objects. */
function refusedParts(status: number, text: string): [part: string, example: string][] {
  // other refusals are the error page
  const { errors = [] } = (text.startsWith("{") ? JSON.parse(text) : {}) as {
    errors?: { in: string; pointer: string }[];
  };
  const parts = errors.map((one) => one.in + one.pointer.replace(/\/\d+(?=\/|$)/g, ""));
  return (parts.length > 0 ? parts : [String(status)]).map((part) => [part, text]);
}

/** The parts of a request that its handler received differently, or a response that is not in the document. */
async function changedParts(draft: DraftRequest, status: number, text: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const fault = responses.fault(draft.operation, status, text);
  if (fault !== undefined) found.push([fault, `${status} ${text}`]);
  for (const [part, value] of Object.entries(sentBy(draft))) {
    const own = received?.[part as keyof Received];
    for (const path of await differences(value, own, defaults, part)) {
      found.push([path, `${Deno.inspect(value)} was received as ${Deno.inspect(own)}`]);
    }
  }
  return found;
}

/** A request's values, by the part in which its handler finds them. */
function sentBy({ values, body }: DraftRequest): Partial<Record<keyof Received, unknown>> {
  const parts = { path: "params", query: "query", header: "headers", cookie: "cookies" } as const;
  const sent: Partial<Record<keyof Received, Record<string, unknown>>> = {};
  for (const { parameter, value } of values) (sent[parts[parameter.in]] ??= {})[parameter.name] = value;
  return body === undefined ? sent : { ...sent, body: body.value };
}

function shown(faults: ReadonlyMap<string, string>): string {
  return [...faults].map(([part, example]) => `${part}: ${example}`).join("\n");
}
