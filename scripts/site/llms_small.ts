/**
 * `llms-small.txt`: everything a language model needs to program with Sluice, in one request. Generated from the pages,
 * the documentation comments, and the messages in the sources.
 */
import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import express from "express";
import { frontMatterOf } from "./markdown.ts";
import { pagesOf, type Site } from "./stage.ts";
import type { MemberNode } from "./reference/doc_nodes.ts";
import { membersOf, type PackageReference, type PublicSymbol, readPackages, signatureOf } from "./reference/symbols.ts";
import { signaturePieces, textOf, typeText } from "./reference/type_text.ts";

const ROOT = new URL("../../", import.meta.url);

/** Maximum size in bytes. */
export const MOST_BYTES = 100_000;

/** A page, or some of its chapters: "" is the part before the first heading. */
interface Part {
  readonly path: string;
  readonly only?: readonly string[];
  readonly without?: readonly string[];
}

/** Included pages, in this order. */
const PARTS: readonly Part[] = [
  { path: "packages/sluice.md", only: ["", "Packages"] },
  { path: "express-differences.md", only: ["On purpose"] },
  { path: "migrate-from-express.md", only: ["Likely mistakes"] },
  { path: "guide/routing.md" },
  { path: "guide/middleware.md" },
  { path: "guide/errors.md", without: ["Without an error handler", "Problems (RFC 9457)"] },
  { path: "guide/bodies-and-uploads.md" },
  { path: "guide/validation.md" },
  { path: "guide/static-files.md", without: ["Guarded files"] },
  { path: "guide/streaming.md", without: ["Several processes"] },
  { path: "websockets.md", only: ["", "Before the upgrade", "The connection", "Topics"] },
  { path: "guide/cookies-and-sessions.md", without: ["Log out everywhere"] },
  { path: "guide/rate-limiting.md", without: ["Who is limited now", "Next"] },
  { path: "limits/login.md" },
  { path: "limits/language-models.md", without: ["A quota for each month"] },
  { path: "guide/testing.md", without: ["WebSockets"] },
  { path: "guide/typescript.md", without: ["Settings of the compiler", "Handlers elsewhere"] },
  { path: "guide/views.md", only: [""] },
  { path: "guide/proxies.md", only: [""] },
  { path: "guide/logging-and-tracing.md", only: ["", "An id through all services"] },
  { path: "guide/configuration.md" },
  { path: "production.md", only: ["Health"] },
  { path: "guide/mcp-server.md", only: [""] },
  { path: "guide/model-streams.md", only: [""] },
  { path: "guide/agent-tools.md", only: [""] },
];

/** Longer programs are for readers who copy them. */
const LONGEST_PROGRAM = 2500;

/**
 * Generates the text.
 *
 * @param site The site
 * @throws {Error} If a page or a chapter that it needs no longer exists
 */
export async function llmsSmallTxt(site: Site): Promise<string> {
  const packages = await readPackages();
  const pages = new Map(pagesOf(site).map(({ path, text }) => [path, text]));
  return [
    PREAMBLE,
    ...PARTS.map((part) => excerpt(part, pages.get(part.path))),
    members(packages),
    options(packages),
    await messages(),
  ].join("\n\n") + "\n";
}

const PREAMBLE = `# Sluice, for programs written by language models

Express 5's API on a pure Fetch core, for Node, Deno, Bun and Workers. Programs are Express programs, with another import:
\`import sluice from "@sluice/sluice"\` in place of \`import express from "express"\`. Whatever is not said here is as in
Express 5. This text has the API by example, what differs, the names of all options, and what errors say. All programs in it
run as they are.`;

/** A page's selected chapters, without the parts that only the site's readers need. */
function excerpt({ path, only, without = [] }: Part, text: string | undefined): string {
  if (text === undefined) throw new Error(`llms-small.txt: there is no page ${path}`);
  const chapters = frontMatterOf(text).body.split(/^(?=#{2,3} )/m);
  const titled = chapters.map((chapter) => [chapter.match(/^#{2,3} (.+)$/m)?.[1] ?? "", chapter] as const);
  for (const title of [...only ?? [], ...without]) {
    if (!titled.some(([one]) => one === title)) throw new Error(`llms-small.txt: ${path} has no chapter "${title}"`);
  }
  const chosen = titled.filter(([title]) => (only?.includes(title) ?? true) && !without.includes(title));
  return compact(chosen.map(([, chapter]) => chapter).join(""));
}

/** Commands for runtimes other than Node, which differ by a word. */
const OTHER_TABS = /^```sh \[(?:Deno|Bun|Workers|pnpm|Yarn)\]\n.*?^```\n+/gms;
const BLOCKS = /(^ *```.*?^ *```$)/gms;

function compact(markdown: string): string {
  const parts = markdown.replaceAll(OTHER_TABS, "").replaceAll(/<!--.*?-->\n*/gs, "").split(BLOCKS);
  const kept = parts.map((part, i) => i % 2 === 1 ? block(part) : prose(part));
  return kept.join("").replaceAll(/\n{3,}/g, "\n\n").trim();
}

/** Models know the commands and server configuration around a program; the programs are what matters. */
const KNOWN = /^```(?:nginx|haproxy|caddyfile|txt|css|sh\n(?!npm ))/;

function block(text: string): string {
  if (KNOWN.test(text)) return "";
  return text.length > LONGEST_PROGRAM
    ? ""
    : text.replace(/^```(\w+) \[.*\]$/m, "```$1").replace(/^```ts ignore$/m, "```ts");
}

/** Prose, one line per paragraph. */
function prose(text: string): string {
  return text
    .replaceAll(/<details.*?<\/details>/gs, "")
    // single-word links
    .replaceAll(/ \(\[(?:why|which|more|figures|where it is read)\]\([^)]*\)\)/g, "")
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^\|(?: *:?-+:? *\|)+$/gm, (row) => row.replaceAll(/ *:?-+:? */g, "-"))
    .replaceAll(/^\|.*\|$/gm, (row) => row.replaceAll(/ {2,}/g, " "))
    .replaceAll(/(?<=[^\n|])\n(?! *(?:[-|#>]|\d+\. |$))\s*/gm, " ");
}

/** Properties that Express assigns to each request and response. */
const ASSIGNED = {
  app: 1,
  baseUrl: 1,
  body: 1,
  locals: 1,
  next: 1,
  originalUrl: 1,
  params: 1,
  req: 1,
  res: 1,
  route: 1,
};

/** Classes, with the Express and Node objects whose names every model knows. */
const CLASSES: Readonly<Record<string, readonly object[]>> = {
  FrameworkApp: [express(), EventEmitter.prototype],
  FrameworkRequest: [express.request, IncomingMessage.prototype, ASSIGNED],
  FrameworkResponse: [express.response, ServerResponse.prototype, ASSIGNED],
  WebSocketConnection: [],
};

function members(packages: readonly PackageReference[]): string {
  const symbols = packages[0]!.entries[0]!.symbols;
  const lists = Object.entries(CLASSES).map(([name, known]) => {
    const symbol = symbols.find((one) => one.name === name);
    if (symbol === undefined) throw new Error(`llms-small.txt: @sluice/sluice exports no ${name}`);
    const { properties, methods } = membersOf(symbol);
    const lines = [
      ...properties.map((one) => line(one.name, "", { ...one, optional: false })),
      ...Array.from(methods, ([method, [first]]) => line(`${method}()`, "", { ...first!, optional: false })),
      // views of registered layers, and aliases
    ].filter((one) => !/^- `(?:_|\[)|derived from the layers|The same as|Express 4's name/.test(one))
      .filter((one) => !known.some((object) => one.match(/\w+/)![0] in object));
    return `### ${name}\n\n${lines.sort().join("\n")}`;
  });
  return `# Members beyond Express\n\n${lists.join("\n\n")}`;
}

/** Functions, and their options' interfaces, by package. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "@sluice/sluice": {
    "sluice.json(), .urlencoded(), .text(), .raw()": "BodyOptions",
    "sluice.json()": "JsonOptions",
    "sluice.urlencoded()": "UrlencodedOptions",
    "sluice.static(folder)": "ServeStaticOptions",
    "sluice.Router()": "RouterOptions",
    "rateLimit()": "RateLimitOptions",
    "shedLoad()": "ShedLoadOptions",
    "app.ws(path)": "WebSocketHandlers",
    "app.listen()": "ListenOptions",
    "app.close()": "CloseOptions",
    "app.group(path)": "GroupOptions",
    "app.inject(path)": "InjectInit",
    "res.cookie(name, value)": "CookieOptions",
    "res.sendFile(path)": "SendFileOptions",
    "new HttpError(status, message)": "HttpErrorOptions",
  },
  "@sluice/middleware/compress": { "compress()": "CompressOptions" },
  "@sluice/middleware/csrf": { "csrf()": "CsrfOptions", "csrf({ token })": "CsrfCookieOptions" },
  "@sluice/middleware/health": { "health()": "HealthOptions" },
  "@sluice/middleware/log": { "log()": "LogOptions" },
  "@sluice/middleware/metrics": { "metrics()": "MetricsOptions" },
  "@sluice/middleware/request-id": { "requestId()": "RequestIdOptions" },
  "@sluice/middleware/session": { "session()": "SessionOptions", "session({ cookie })": "SessionCookieOptions" },
  "@sluice/middleware/sse": { "sse(req, res)": "SseOptions", "events.send(event)": "ServerSentEvent" },
  "@sluice/middleware/timeout": { "timeout(ms)": "TimeoutOptions" },
  "@sluice/middleware/upload": {
    "upload()": "UploadOptions",
    "upload({ limits })": "UploadLimits",
    "upload({ fields })": "FileField",
    "a file of req.files": "UploadedFile",
  },
  "@sluice/rate-limit": {
    "rateLimit()": "RateLimitOptions",
    "rateLimit(), new Limiter()": "LimitOptions",
    "rateLimit({ limits })": "RequestLimitOptions",
    "limiter.consume(key, units)": "ConsumeOptions",
    "new RedisStore()": "RedisStoreOptions",
  },
  "@sluice/openapi": {
    "validate()": "ValidateOptions",
    "operation()": "OperationDetails",
    "openapi(app, info)": "OpenApiOptions",
  },
};

function options(packages: readonly PackageReference[]): string {
  const entries = new Map(packages.flatMap((one) => one.entries).map((entry) => [entry.specifier, entry]));
  const lists = Object.entries(OPTIONS).map(([specifier, calls]) => {
    const symbols = entries.get(specifier)?.symbols ?? [];
    const parts = Object.entries(calls).map(([call, name]) => {
      const symbol = symbols.find((one) => one.name === name);
      if (symbol === undefined) throw new Error(`llms-small.txt: ${specifier} exports no ${name}`);
      return `\`${call}\`\n${optionLines(symbol).join("\n")}`;
    });
    return `## ${specifier}\n\n${parts.join("\n\n")}`;
  });
  return `# Options\n\nBy call, below the module that it is imported from.\n\n${lists.join("\n\n")}`;
}

function optionLines(symbol: PublicSymbol): string[] {
  const { properties, methods } = membersOf(symbol);
  return [
    ...properties.map((one) => line(one.name, typeText(one.tsType), one)),
    ...Array.from(methods, ([name, [first]]) => line(name, textOf(signaturePieces(signatureOf(first!))), first!)),
  ];
}

function line(name: string, type: string, { jsDoc, optional }: MemberNode): string {
  const short = type.replace(/ \| undefined$/, "");
  const doc = (jsDoc?.doc ?? "")
    .replaceAll(/\{@link(?:code)? (?:\w+\.)?([^}]*)\}/g, "`$1`")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
  const sentence = doc.match(/^.*?[.!?](?= |$)/)?.[0] ?? doc;
  return `- \`${name}${optional ? "?" : ""}${short === "" || short.length > 60 ? "" : `: ${short}`}\` ${sentence}`
    .trimEnd();
}

/** A string literal in a source, possibly concatenated. */
const LITERAL = /(?:"[^"\n]*"|'[^'\n]*')(?:\s*\+\s*(?:"[^"\n]*"|'[^'\n]*'))*/;

/** Names from other packages, with errors about them. */
async function messages(): Promise<string> {
  const found: string[] = [];
  for (const folder of ["src", "middleware/src", "advanced/src", "openapi/src"]) {
    for await (const path of sources(`${folder}/`)) {
      const text = await Deno.readTextFile(new URL(path, ROOT));
      const caller = text.match(/checkNames\("([\w.]+)", \w+, \w+, INSTEAD/)?.[1];
      const [, table] = text.match(/^const INSTEAD(?:: [^=]+)? = \{(.*?)\};$/ms) ?? [];
      if (caller === undefined || table === undefined) continue;
      const constants = new Map(
        Array.from(text.matchAll(new RegExp(`^const ([A-Z]+) =\\s*(${LITERAL.source});`, "gm")), ([, name, words]) => [
          name!,
          words!,
        ]),
      );
      const rows = table.matchAll(new RegExp(`(?:^|[{,])\\s*(\\w+):\\s*([A-Z]+\\b|${LITERAL.source})`, "g"));
      const advice = Map.groupBy(rows, ([, , words]) => constants.get(words!) ?? words!);
      const advised = Array.from(advice, ([words, names]) => {
        const text = words.replaceAll(/["']\s*\+\s*["']/g, "").slice(1, -1);
        return `${names.map(([, name]) => name).join(", ")}: ${text}`;
      });
      found.push(`- \`${caller}\` ${advised.join(" / ")}`);
    }
  }
  return [
    "# What errors say",
    "An unknown option is a `TypeError` when the program starts: `session: there is no option ttl; there are secret, …`, " +
    "or `did you mean …?`. For names of other packages, it says what to write:",
    found.sort().join("\n"),
  ].join("\n\n");
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) yield* sources(`${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}
