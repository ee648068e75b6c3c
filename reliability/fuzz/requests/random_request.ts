/** Random requests: the parts that servers interpret, repeated, nested, cut and mixed. */
import { oneOf, type Pick } from "../../../tests/support/random.ts";

/** A request as a plain value. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A string with one character per byte; `null` if there is no body. */
  readonly body: string | null;
}

const PATHS = [
  ...["/files/hello.txt", "/files/page.html", "/files/folder", "/files/folder/", "/files/..%2foutside.txt"],
  ...["/files/%2e%2e/outside.txt", "/files/..\\outside.txt", "/files/%00", "/files/hello.txt%00.html", "/files//"],
  ...["/files/%c0%ae%c0%ae/outside.txt", "/files/hello.txt/", "/files/./hello.txt", "/files/.hidden", "/files/%zz"],
  ...["/send/hello.txt", "/send/..%2foutside.txt", "/send/%2fetc%2fpasswd", "/send/folder", "/send/a%00b"],
  ...["/item/7", "/item/7.json", "/item/%zz", "/item/%ff", "/rest/a/b/c", "/rest/", "/pattern/a-b.c", "/regexp/2024/x"],
  ...["/look", "/format", "/cookies", "/back", "/to/x", "/nowhere", "/", "//", "/json/x", "/to/%0d%0aX:1", "/%"],
];
const BODY_PATHS = ["/json", "/form", "/flat", "/text", "/raw", "/whole", "/parts"];
const PIECES = [
  ...[
    "a",
    "=",
    "&",
    "[",
    "]",
    "%",
    "%zz",
    "%00",
    "+",
    ";",
    ",",
    ".",
    "-",
    "/",
    "..",
    "\\",
    " ",
    '"',
    "{",
    "}",
    ":",
    "*",
  ],
  ...["q=0.5", "q=", "bytes=", "0-", "-1", "1-2", "W/", "1.2.3.4", "::1", "https", "\t", "\xff", "%ff", "__proto__"],
  ...["constructor", "toString", "=?", "'", "(", ")", "<script>", "0", "9".repeat(30), "e", "utf8=%26%2310003%3B"],
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  "accept": ["text/html", "application/json;q=0.5, */*", "*/*;q=x", "text/*;level=1"],
  "accept-encoding": ["gzip", "br;q=1.0, *;q=0", "identity;q=0"],
  "accept-language": ["de-AT, de;q=0.8", "*"],
  "accept-charset": ["utf-8", "*;q=0"],
  "range": ["bytes=0-1", "bytes=0-1,3-4", "bytes=-1", "bytes=99999-", "bytes=5-1"],
  "if-none-match": ['"x"', "*", 'W/"x", "y"'],
  "if-modified-since": ["Thu, 01 Jan 2015 00:00:00 GMT", "none"],
  "if-range": ['"x"', "Thu, 01 Jan 2015 00:00:00 GMT"],
  "if-match": ['"x"', "*"],
  "cookie": ["a=1; b=2", "a=%zz; __proto__=1", 'a="q"; =x;;', "j=j:{}"],
  "x-forwarded-for": ["1.2.3.4, ::1", "x", ",,,"],
  "x-forwarded-proto": ["https", "https,http", ""],
  "x-forwarded-host": ["a.b.c", "a:b:c", ""],
  "referer": ["http://x/", "//x", "javascript:alert(1)", "/a b"],
  "origin": ["http://x", "null"],
  "authorization": ["Basic x", "Bearer"],
  "x-http-method-override": ["DELETE"],
};
const TYPES = [
  ...["application/json", "application/json; charset=utf-16le", "application/json; charset=x", "text/plain; charset="],
  ...["application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=iso-8859-1", "text/plain", "/"],
  ...["multipart/form-data; boundary=b", "multipart/form-data", 'multipart/form-data; boundary=""', "a/b;c", ";", ""],
];
const CODINGS = ["gzip", "deflate", "br", "identity", "x", "gzip, gzip"];
const BODIES = [
  ...[
    "",
    "{}",
    '{"a":1}',
    "[1,2",
    '"text"',
    "null",
    '{"__proto__":{"x":1}}',
    "a=1&b=2",
    "a[b][c]=1",
    "\xff\xfe",
    "\xef\xbb\xbf{}",
  ],
  ...['--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n', "--b--", "--b\r\n\r\n", "\x1f\x8b\x08"],
];
/** Input that takes superlinear time in careless servers: long, deep, or repeated. */
const LONG: readonly ((count: number) => string)[] = [
  ...["[", "a[", '{"a":', "&", "a&", "%", "%41", ",", ";", "a=;", " ", "\t", "/", "../", "-", ".", "a-", "a."].map(
    (text) => (count: number) => text.repeat(count),
  ),
  ...["0-1,", "a,", "a;q=1,", "1.2.3.4,", '"', "\\", '"\\', "a=b; ", 'W/"x",', "=", "a=b&a="].map(
    (text) => (count: number) => text.repeat(count),
  ),
  (count) => Array.from({ length: count }, (_, i) => `k${i}=1`).join("&"),
  (count) => Array.from({ length: count }, (_, i) => `k${i}=1`).join("; "),
  (count) => `a${" ".repeat(count)}b`,
  (count) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(","),
];

/** Makes a random request. */
export function randomRequest(pick: Pick): PlainRequest {
  const hasBody = pick(3) === 0;
  const method = oneOf(pick, hasBody ? ["POST", "PUT", "PATCH", "DELETE"] : ["GET", "GET", "GET", "HEAD", "OPTIONS"]);
  const headers: [string, string][] = [];
  for (const [name, values] of Object.entries(HEADERS)) {
    if (pick(7) === 0) headers.push([name, headerText(pick(3) === 0 ? randomText(pick, 2000) : oneOf(pick, values))]);
  }
  let target = hasBody ? oneOf(pick, BODY_PATHS) : oneOf(pick, PATHS);
  if (pick(8) === 0) target += `/${randomText(pick, 2000)}`;
  if (pick(3) === 0) target += `?${pick(2) === 0 ? "a=1&b[c]=2&b[]=3&to=%2f%2fx" : randomText(pick, 4000)}`;
  if (!hasBody) return { method, target, headers, body: null };
  if (pick(6) > 0) headers.push(["content-type", oneOf(pick, TYPES)]);
  if (pick(8) === 0) headers.push(["content-encoding", oneOf(pick, CODINGS)]);
  return { method, target, headers, body: pick(2) === 0 ? oneOf(pick, BODIES) : randomText(pick, 40_000) };
}

function randomText(pick: Pick, most: number): string {
  if (pick(3) === 0) return oneOf(pick, LONG)(1 + pick(most)).slice(0, 2 * most);
  return Array.from({ length: 1 + pick(12) }, () => oneOf(pick, PIECES)).join("");
}

// a web request rejects the rest, as servers do
function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\xff]/g, "").trim();
}
