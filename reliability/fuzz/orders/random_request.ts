/** Random requests to everything that might retain something from a request. */
import { Buffer } from "node:buffer";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { oneOf, type Pick } from "../../../tests/support/random.ts";

/** A request as a plain value; its strings have one character per byte. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  /** Header lines, except those that frame the body. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** How the body is framed. `"none"` sends neither a header for it nor a byte. */
  readonly framing: "none" | "length" | "chunked";
}

const JSON_TYPES = ["application/json", "application/json", "application/json; charset=utf-8", "Application/JSON"];
const FORM_TYPES = ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded;charset=utf-8"];
const TEXT_TYPES = ["text/plain", "text/plain", "text/plain;charset=utf-8", "text/plain; charset=latin1"];
/** Paths where handlers read the body, and the body types they read. */
const BODY_PATHS: Readonly<Record<string, readonly string[]>> = {
  "/json": JSON_TYPES,
  "/json-strange": ["application/vnd.api+json", "text/x-json", "text/plain"],
  "/json-any": [...JSON_TYPES, ...TEXT_TYPES],
  "/json-chosen": JSON_TYPES,
  "/json-verified": JSON_TYPES,
  "/form": FORM_TYPES,
  "/form-extended": FORM_TYPES,
  "/form-latin": [...FORM_TYPES, "application/x-www-form-urlencoded; charset=iso-8859-1"],
  "/text": TEXT_TYPES,
  "/text-latin": [...TEXT_TYPES, "text/html"],
  "/text-any": [...TEXT_TYPES, ...JSON_TYPES],
  "/raw": ["application/octet-stream"],
  "/raw-some": ["image/png", "application/vnd.api+json"],
  "/every": [...JSON_TYPES, ...FORM_TYPES, ...TEXT_TYPES],
  "/validated": JSON_TYPES,
  "/upload": ["multipart/form-data; boundary=b"],
  "/read/text": TEXT_TYPES,
  "/read/json": JSON_TYPES,
  "/read/stream": TEXT_TYPES,
  "/item/7/parts": JSON_TYPES,
  "/look": [...JSON_TYPES, ...FORM_TYPES],
  "/csrf": FORM_TYPES,
  "/session": FORM_TYPES,
};
const PATHS = [
  ...["/look", "/look", "/LOOK/", "/look/a/b", "/later", "/limit", "/limited", "/session", "/csrf", "/nowhere", "/"],
  ...["/app0", "/app1/x", "/app2", "/app3", "/app4", "/app0/Case/7/", "/app0/case/7", "/app1/Case/7", "/app1/Case/7/"],
  ...[
    "/app0/send",
    "/app1/send",
    "/app2/send",
    "/app3/send",
    "/app4/send",
    "/app0/long",
    "/app2/long",
    "/app4/missing",
    "/app2/missing",
  ],
  ...["/files/hello.txt", "/files/page.html", "/files/folder", "/files/folder/", "/files/.secret", "/files/missing"],
  ...["/strict/hello.txt", "/strict/folder", "/strict/.secret", "/loose/hello", "/loose/page", "/coded/page.html"],
  ...["/files/%68ello.txt", "/files//hello.txt", "/file/hello.txt", "/file/page.html", "/file/missing", "/file/folder"],
  ...["/part/hello.txt", "/part/page.html", "/download/a.txt", "/download/%e2%82%ac.txt", "/download/a%22b"],
  ...["/item/7", "/item/8", "/ITEM/7/", "/item/%zz", "/item/a%2fb", "/named/7", "/named/7.json", "/rest/a/b", "/rest/"],
  ...["/pair/a-b", "/pair/a-b-c", "/regexp/2024/x", "/of/me/Deep/", "/of/me/deep/", "/of/me/skip", "/of/you/other/x"],
  ...[
    "/often/0/word/7",
    "/often/3/7/word",
    "/often/11/word/7",
    "/often/9/self/word/7",
    "/often/2/self/self/self/7/word",
  ],
  ...["/docs/openapi.json", "/docs", "/socket", "/socket/"],
  ...["/response", "/bytes", "/format", "/view", "/app4/view", "/app0/view", "/item/7/parts"],
];
/** Paths where handlers take part of the response from the query. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  "/type?of=": ["html", "json", "png", "text/plain", "text/html;charset=latin1", "TEXT/HTML", "x", "a/b", "js", ".css"],
  "/header?name=": [
    "X-Name",
    "x-name",
    "Content-Type&value=text/plain",
    "ETag&value=W/%22a%22",
    "a%20b",
    "X-Y&value=%ff",
  ],
  "/vary?on=": ["Accept", "accept,%20ORIGIN", "*", "a%20b", "Accept-Encoding", "ORIGIN"],
  "/append?name=": ["Link", "Set-Cookie", "set-cookie", "Vary", "X-Name"],
  "/attachment?name=": ["a.txt", "a.html", "%e2%82%ac.json", "x", "a%22b.png"],
  "/redirect?to=": ["/a", "//x", "https://a.example/%zz", "a%20b", "%e2%82%ac"],
  "/links?to=": ["/2", "%3E", "a%0db"],
  // without 205, which Deno sends without a length
  "/status?of=": ["200", "204", "304", "404", "599", "99", "x"],
  "/cookie?name=": ["a", "a%20b", "a&value=%e2%82%ac", "__Host-a"],
  "/offer?of=": ["json", "html", "text/plain", "text/*", "x", "png", "json%0a", "text/html%0atext/plain"],
  "/tagged?tag=": ['"x"', 'W/"x"', '"y"', "x"].map(encodeURIComponent),
  "/zip?of=": ["html", "png", "json", "x", "text/event-stream"],
  "/fail?of=": ["400", "404", "500", "503", "200", "x"],
  "/view?name=": ["page", "page.ejs", "deep/inner", "missing", "./page", "contract.txt", "..", "x.pug"],
  "/app4/view?name=": ["inner", "page", "deep/inner", "inner.ejs"],
  "/app0/send?text=": ["a", "b", "%e2%82%ac"],
  "/app1/send?text=": ["a", "b"],
  "/look?": ["a=1", "a=1&a=2", "a[b]=1", "a[]=1&a[]=2", "%zz", "a%5bb%5d=%ff", "__proto__[x]=1", "a.b=1", "=", "a=1#b"],
  "/app0?": ["a[b]=1", "a[b][c]=1&a[b]=2", "a=1&a=2"],
  "/app3?": ["a[b]=1", "a=1"],
};
const HOSTS = [
  ...["localhost", "localhost", "a.b.example.com", "LOCALHOST", "x:8080", "[::1]:80", "[::1]", "1.2.3.4", "", "a b"],
  ...["x:99999", "x:", "a_b", "x/y", "user@x", "tobi.ferrets.example.com:3000"],
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  "Accept": [
    "text/html",
    "application/json;q=0.5, */*",
    "*/*;q=x",
    "",
    "text/*;level=1, application/json",
    "image/png",
  ],
  "Accept-Encoding": ["gzip", "br;q=1.0, *;q=0", "identity;q=0", "gzip, deflate, br, zstd", "", "GZIP"],
  "Accept-Language": ["de-AT, de;q=0.8", "*", "en;q=0, de", ""],
  "Accept-Charset": ["utf-8", "*;q=0", "latin1"],
  "Range": ["bytes=0-1", "bytes=0-1,3-4", "bytes=-1", "bytes=99999-", "bytes=5-1", "lines=0-1"],
  "If-None-Match": ['"x"', "*", 'W/"x", "y"', '"y"'],
  "If-Modified-Since": ["Thu, 01 Jan 2015 00:00:00 GMT", "none", "Thu, 01 Jan 2099 00:00:00 GMT"],
  "If-Unmodified-Since": ["Thu, 01 Jan 2015 00:00:00 GMT"],
  "If-Range": ['"x"', "Thu, 01 Jan 2015 00:00:00 GMT"],
  "If-Match": ['"x"', "*", '"y"'],
  "Cache-Control": ["no-cache", "max-age=0"],
  "Cookie": ["a=1; b=2", "a=%zz; __proto__=1", 'a="q"; =x;;', "j=j:{}", "session=forged", "a=1; a=2"],
  "X-Forwarded-For": [
    "1.2.3.4, ::1",
    "x",
    ",,,",
    "2001:db8::1",
    "2001:DB8:0::1",
    "::ffff:1.2.3.4",
    "10.0.0.1, 1.2.3.4",
  ],
  "X-Forwarded-Proto": ["https", "https,http", "", "HTTPS"],
  "X-Forwarded-Host": ["a.b.c.example", "a:b:c", "", "x:8080"],
  "Referer": ["http://x/", "//x", "/a b"],
  "Referrer": ["http://y/"],
  "Origin": ["https://a.example", "null", "http://localhost"],
  "Sec-Fetch-Site": ["cross-site", "same-origin", "none"],
  "X-Requested-With": ["XMLHttpRequest", "x"],
  "X-Flag": ["1", "\xe9", "a, b", "2"],
  "Connection": ["keep-alive", "close"],
  "Upgrade": ["h2c", "websocket"],
};
const TYPES = [
  ...[
    ...JSON_TYPES,
    ...FORM_TYPES,
    ...TEXT_TYPES,
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
  ],
  ...[
    "application/json ;",
    "application/json; charset=utf-16le",
    "application/json; charset=x",
    "TEXT/PLAIN",
    "text/html",
  ],
  ...[
    "application/vnd.api+json",
    "text/x-json",
    "application/octet-stream",
    "image/png",
    "a/b;c",
    ";",
    "/",
    "json",
    "",
  ],
  ...["multipart/form-data; boundary=b", "multipart/form-data"],
];
const TEXTS = [
  ...["{}", '{"a":1}', '{"a":1}', "[1,2]", "[1,2", '"text"', "7", "null", "not JSON at all", '{"__proto__":{"x":1}}'],
  ...["a=1&b=2", "a[b][c]=1", "a=%e9&utf8=%26%2310003%3B", "a=%26%239786%3B", "caf\xc3\xa9", "\xff\xfe{\0}\0"],
  ...["\xef\xbb\xbf{}", '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n', "--b--"],
  ...[`{"long":"${"x".repeat(400)}"}`, `a=${"1".repeat(299)}`],
];
const CODINGS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  GZIP: gzipSync,
  identity: (bytes) => bytes,
  x: (bytes) => bytes,
};
const BODY_METHODS = ["POST", "POST", "POST", "PUT", "PATCH", "DELETE", "DELETE", "GET", "OPTIONS", "QUERY"];
const METHODS = ["GET", "GET", "GET", "GET", "HEAD", "OPTIONS", "DELETE", "POST", "PROPFIND"];

/**
 * Makes random requests with much in common. Retained state shows only in a later request that differs in one respect.
 * If all paths, types and headers were mixed, two such requests would almost never meet.
 *
 * @param pick Random source
 * @param count Number of requests
 */
export function similarRequests(pick: Pick, count: number): WireRequest[] {
  const bodyPaths = some(pick, Object.keys(BODY_PATHS), 3);
  const types = [...some(pick, TYPES, 1), ...bodyPaths.map((path) => oneOf(pick, BODY_PATHS[path]!))];
  const texts = some(pick, TEXTS, 4);
  const paths = some(pick, [...PATHS, ...Object.keys(QUERIES)], 8);
  const hosts = some(pick, HOSTS, 3);
  const names = some(pick, Object.keys(HEADERS), 5);
  return Array.from({ length: count }, () => {
    const headers = randomHeaders(pick, hosts, names);
    return pick(5) < 3
      ? withBody(pick, oneOf(pick, bodyPaths), types, texts, headers)
      : withoutBody(pick, oneOf(pick, paths), headers);
  });
}

function some<T>(pick: Pick, list: readonly T[], count: number): readonly T[] {
  return Array.from({ length: count }, () => oneOf(pick, list));
}

function withBody(
  pick: Pick,
  target: string,
  types: readonly string[],
  texts: readonly string[],
  headers: [string, string][],
): WireRequest {
  if (pick(8) > 0) headers.push(["Content-Type", oneOf(pick, types)]);
  const coding = pick(8) === 0 ? oneOf(pick, Object.keys(CODINGS)) : undefined;
  if (coding !== undefined) headers.push(["Content-Encoding", coding]);
  const text = pick(2) === 0 ? "" : oneOf(pick, texts);
  const body = coding === undefined || pick(4) === 0 || text === "" ? text : coded(coding, text);
  const framing = oneOf<WireRequest["framing"]>(
    pick,
    body === "" ? ["none", "none", "length", "chunked"] : ["length", "length", "chunked"],
  );
  return { method: oneOf(pick, BODY_METHODS), target, headers, body, framing };
}

function withoutBody(pick: Pick, base: string, headers: [string, string][]): WireRequest {
  let target = base + oneOf(pick, QUERIES[base] ?? ["", "", "?", "?a=1"]);
  if (pick(30) === 0) target = `http://${oneOf(pick, ["localhost", "other.example"])}${target}`;
  return { method: oneOf(pick, METHODS), target, headers, body: "", framing: "none" };
}

function randomHeaders(pick: Pick, hosts: readonly string[], names: readonly string[]): [string, string][] {
  const headers: [string, string][] = [["Host", oneOf(pick, hosts)]];
  for (const name of names) {
    if (pick(3) > 0) continue;
    const values = HEADERS[name]!;
    headers.push([pick(4) === 0 ? name.toLowerCase() : name, oneOf(pick, values)]);
    if (pick(8) === 0) headers.push([name, oneOf(pick, values)]);
  }
  return headers;
}

function coded(coding: string, text: string): string {
  const bytes = CODINGS[coding]!(Buffer.from(text, "latin1"));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** A request's bytes, one character per byte. */
export function wireText({ method, target, headers, body, framing }: WireRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  if (framing === "length") lines.push(`Content-Length: ${body.length}`);
  if (framing === "chunked") lines.push("Transfer-Encoding: chunked");
  const head = [`${method} ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  return head + (framing === "chunked" ? chunks(body) : body);
}

function chunks(body: string): string {
  const half = Math.ceil(body.length / 2);
  const pieces = [body.slice(0, half), body.slice(half)].filter((piece) => piece !== "");
  return [...pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`), "0\r\n\r\n"].join("");
}
