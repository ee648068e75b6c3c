import { assert, assertEquals } from "@std/assert";
import { readSources, withoutComments } from "../support/sources.ts";

/** Folders of packages that may read input from clients. */
const FOLDERS = [
  ...[
    "src/",
    "limiting/",
    "shared/",
    "express/",
    "middleware/src/",
    "advanced/src/",
    "openapi/src/",
    "create/src/",
  ],
];

/** Code that treats characters outside ASCII as blanks, or as ASCII letters. */
const UNICODE: Readonly<Record<string, RegExp>> = {
  "trim()": /\.trim(?:Start|End|Left|Right)?\b/g,
  "\\s": /\\[sS]/g,
  "toLowerCase()": /\.to(?:Locale)?LowerCase\b/g,
  "toUpperCase()": /\.to(?:Locale)?UpperCase\b/g,
  "the order of a language": /\.localeCompare\b|\bIntl\.Collator\b/g,
  "normalize()": /\.normalize\b/g,
  // with both flags, "ſ" is an "s", and the Kelvin sign a "k"
  "the flags i and u": /(?:\/|RegExp\([^;]*, ")(?=[a-z]*i)(?=[a-z]*[uv])[dgimsuvy]+(?=[.,;)"]*[.,;)])/g,
};

/**
 * Files and folders that may use such code, and their input, which is not from clients. Code that reads headers, URLs,
 * forms and handshakes uses `trimBlanks`, `asciiLowerCase`, `asciiUpperCase` and `[ \t]`.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "src/util/": "settings, stacks, names of encodings, functions of the program, and what is to be used instead",
  "src/app/listen_options.ts": "the program's port",
  "src/cli/": "the command line",
  "src/dispatch/development_page.ts": "lines of the program's source",
  "src/dispatch/near_routes.ts": "a suggestion of the development page",
  "src/http/byte_range.ts": "what Express's package reads, where a client can only ask for less",
  "src/http/freshness.ts": "what Express's package reads, where a client can only ask for more",
  "src/matching/literal_source.ts": "the program's routes, in the case that regular expressions with the flag i ignore",
  "src/matching/regexp_shape.ts": "the program's regular expressions",
  "src/matching/trie_node.ts":
    "letters that are the same to regular expressions with the flag i, the Kelvin sign excepted",
  "src/request/node/header_record.ts": "names of headers, which are of ASCII alone, at the cost of a request",
  "src/response/files/listed_names.ts": "the name of a file that is there, to try another case on its disk",
  "src/response/set_cookie.ts": "the program's options",
  "src/routing/handler_arguments.ts": "the source of the program's functions",
  "src/routing/middleware_shims.ts": "the source of the program's functions",
  "middleware/src/log/redaction.ts": "a log, in which more is hidden than has to be",
  "advanced/src/frameworks/koa.ts": "what Koa's routers read: Node's parser of URLs trims",
  "advanced/src/http/rate_limit.ts": "what Express's router reads: Node's parser of URLs trims",
  "advanced/src/rules/route_pattern.ts": "the program's routes",
  "advanced/src/simulate/": "files, the command line and reports",
  "advanced/src/stores/redis/redis_connection.ts": "an error of the program's client",
  "advanced/src/text/escape.ts": "a table, in which more is escaped than has to be",
  "openapi/src/document/": "the program's schemas and routes",
  "openapi/src/check/": "the program's document, and its own responses",
  "openapi/src/client/": "what the server sends to its client",
  "openapi/src/generate/": "the program's schemas and routes",
  "openapi/src/tools/": "methods of the document",
  "create/src/": "the command line",
  "express/src/four/paths/legacy_path.ts": "the program's routes",
};

/** Names of the patterns that a program matches. */
function uses(program: string): string[] {
  const code = withoutComments(program);
  return Object.entries(UNICODE).flatMap(([name, pattern]) => [...code.matchAll(pattern)].map(() => name));
}

function exceptionOf(path: string): string | undefined {
  return Object.keys(EXCEPTIONS).find((one) => one.endsWith("/") ? path.startsWith(one) : path === one);
}

const found = await Promise.all(
  (await Promise.all(FOLDERS.map(readSources))).flat().map(async ({ path }) => ({
    path,
    uses: uses(await Deno.readTextFile(new URL(`../../${path}`, import.meta.url))),
  })),
);

Deno.test("no trim(), \\s or case of Unicode touches what comes from a client: see src/util/ascii.ts", () => {
  const wrong = found.filter((file) => exceptionOf(file.path) === undefined)
    .flatMap((file) => file.uses.map((name) => `${file.path}: ${name}`));
  assertEquals(wrong, []);
});

Deno.test("every exception for other text is needed", () => {
  const needed = new Set(found.filter((file) => file.uses.length > 0).map(({ path }) => exceptionOf(path)));
  assertEquals(Object.keys(EXCEPTIONS).filter((one) => !needed.has(one)), []);
});

Deno.test("each way to read characters beyond ASCII as others is found", () => {
  const programs = [
    ["trim()", "header.split(',').map((one) => one.trim())", "name?.trimEnd()", "names.map(String.prototype.trim)"],
    ["\\s", "/^\\s*no-cache/.test(header)", "new RegExp(`^\\\\S+`)", "header.split(/[\\s,]+/)"],
    ["toLowerCase()", "req.get('upgrade')?.toLowerCase()", "name.toLocaleLowerCase('en')"],
    ["toUpperCase()", "method.toUpperCase()", "method\n  .toLocaleUpperCase()"],
    ["the order of a language", "a.localeCompare(b) === 0", "new Intl.Collator()"],
    ["normalize()", "host.normalize('NFKC')"],
    ["the flags i and u", "/^basic /iu.test(header)", "part.match(/[k]/vgi)", 'new RegExp("k", "ui")'],
  ] as const;
  assertEquals(programs.map(([name]) => name), Object.keys(UNICODE) as never);
  for (const [name, ...examples] of programs) {
    for (const example of examples) assertEquals(uses(example), [name], example);
  }
  for (const fine of ["trimBlanks(a)", "asciiLowerCase(a)", "/^[ \\t]*k/i", "/[^a-z]/gu", '"/ui"', "// a.trim()"]) {
    assertEquals(uses(fine), [], fine);
  }
  assert(found.length > 300, "hardly any files were read");
});
