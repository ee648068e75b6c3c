/** Random connections: valid requests with parts swapped, cut or doubled. */
import { HANDSHAKE } from "../../../tests/support/raw_client.ts";
import { frame } from "../../../tests/contracts/frame.ts";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import { latin1 } from "../../support/http_client.ts";

/** A connection: strings with one character per byte, sent one after the other, and how it ends. */
export interface Connection {
  readonly pieces: readonly string[];
  /** The client waits for responses, closes its sending side first, or disconnects. */
  readonly ending: "read" | "half" | "cut";
}

const TARGETS = [
  ...["/", "/query?a=1&b[c]=2", "/item/7", "/item/x.json", "/cookies", "/nowhere", "/%zz", "//a//b", "/a/../b"],
  ...["http://localhost/query", "https://localhost/query", "http://localhost", "*", "localhost:80", "query"],
  ...["/?#x", "/a b", "/\x00", "/\xff", "/.//x", "/./x", "http://a:99999/", "/item/%2e%2e%2f", `/${"a".repeat(9000)}`],
];
const HOSTS = [
  ...["localhost", "localhost:80", "[::1]:80", "a.b", "", "h/admin?x", "h/query", "h?x", "h#x", "u@h", "h:99999"],
  ...["h:x", "[::1", "a b", "a,b", "h\\x", "%", "h%2fadmin", "\xff", "1.2.3.4", "_x", "h:", "http://h"],
];
const HEADERS = [
  ...["Cookie: a=1; b=%zz; __proto__=1", "Range: bytes=0-1", "X-Flag: 1", "Accept: */*;q=0.1", "Expect: 100-continue"],
  ...["Connection: close", "Connection: keep-alive, x", "Upgrade: h2c", "X-Forwarded-Proto: https", "TE: trailers"],
  ...["Content-Type: application/json", "Content-Type: application/x-www-form-urlencoded", "Content-Type: text/plain"],
  ...["Content-Encoding: gzip", "If-None-Match: *", "Origin: http://x", "Authorization: Basic \x80"],
];
const ODD_HEADERS = [
  ...["X y: 1", ": 1", "X", "X : 1", " X: 1", "X:\x00", "X: a\rb", "X: a\nY: b", "\tX: 1", "Content-Length: 5"],
  ...["Content-Length: -1", "Content-Length: 5, 5", "Content-Length: 99999999999999999999", "Content-Length: 0x5"],
  ...["Transfer-Encoding: chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity"],
  ...["Transfer-Encoding: identity", `X: ${"a".repeat(20_000)}`, "Host: second", "Sec-WebSocket-Key: x"],
];
const BODIES = [
  "",
  "{}",
  '{"a":1}',
  "[".repeat(600),
  "a=1&b[c]=2",
  "x".repeat(3000),
  "\x00\xff",
  "{",
  "GET / HTTP/1.1\r\n",
];
const STARTS = ["GET", "GET", "POST", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"];
const ODD_STARTS = ["get", "CONNECT", "TRACE", "G T", "", "PRI", "M-SEARCH", "\x16\x03\x01", "GETGETGETGETGETGETGET"];
const VERSIONS = ["HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/9.9", "http/1.1", "HTTP/1.1 ", "HTTP/1.", ""];
const SIZES = ["-1", "0x3", "ffffffffffffffffffff", "3;a=b", "3 ", "g", "", "00000000000000000000003"];
const OPCODES = [0, 1, 2, 3, 7, 8, 9, 10, 11, 15];

/** Makes a random connection. */
export function randomConnection(pick: Pick): Connection {
  const ending = oneOf(pick, ["read", "read", "half", "half", "cut"] as const);
  if (pick(6) === 0) return { pieces: randomSocket(pick), ending };
  const odd = pick(4) > 0;
  const pieces = Array.from({ length: 1 + pick(3) }, () => randomRequest(pick, odd)).flat();
  return { pieces: odd && pick(3) === 0 ? mutated(pick, pieces) : pieces, ending };
}

function randomRequest(pick: Pick, odd: boolean): string[] {
  const seldom = () => odd && pick(6) === 0;
  const method = seldom() ? oneOf(pick, ODD_STARTS) : oneOf(pick, STARTS);
  const target = method === "POST" && pick(4) > 0
    ? oneOf(pick, ["/json", "/text", "/form", "/stream", "/unread"])
    : oneOf(pick, odd ? TARGETS : TARGETS.slice(0, 6));
  const end = seldom() ? "\n" : "\r\n";
  const lines = [`${method} ${target} ${seldom() ? oneOf(pick, VERSIONS) : "HTTP/1.1"}`];
  if (!seldom()) lines.push(`Host: ${oneOf(pick, odd ? HOSTS : HOSTS.slice(0, 4))}`);
  for (let i = pick(4); i > 0; i--) lines.push(oneOf(pick, odd ? HEADERS : HEADERS.slice(0, 4)));
  if (seldom()) lines.push(oneOf(pick, ODD_HEADERS));
  const body = method === "POST" || method === "PUT" ? randomBody(pick, odd) : [];
  if (body.length > 0) lines.push(body.shift()!);
  return [...lines.map((line) => line + end), end, ...body];
}

/** A header line and the part after the head. */
function randomBody(pick: Pick, odd: boolean): string[] {
  const text = oneOf(pick, BODIES);
  if (pick(2) === 0) {
    const length = odd && pick(5) === 0 ? text.length + pick(9) - 4 : text.length;
    return [`Content-Length: ${length}`, ...(text === "" ? [] : [text])];
  }
  const chunks = text === "" ? [] : [text.slice(0, 5), text.slice(5)].filter((one) => one !== "");
  const size = (one: string) => odd && pick(6) === 0 ? oneOf(pick, SIZES) : one.length.toString(16);
  const last = odd && pick(6) === 0 ? "0\r\nX: trailer\r\n\r\n" : "0\r\n\r\n";
  return ["Transfer-Encoding: chunked", ...chunks.flatMap((one) => [`${size(one)}\r\n`, one, "\r\n"]), last];
}

function randomSocket(pick: Pick): string[] {
  const odd = pick(4) === 0 ? [oneOf(pick, ODD_HEADERS)] : [];
  const lines = ["GET /ws HTTP/1.1", "Host: localhost", ...HANDSHAKE, ...odd];
  const frames = Array.from({ length: pick(5) }, () => {
    const bytes = frame(oneOf(pick, OPCODES), oneOf(pick, ["", "text", "\xff\xfe", "x".repeat(200)]), {
      fin: pick(4) > 0,
      ...(pick(8) === 0 ? { length: oneOf(pick, [0, 126, 65_536, 2 ** 40]) } : {}),
    });
    const text = latin1(bytes);
    // reserved bits, or no mask
    if (pick(6) === 0) return String.fromCharCode(text.charCodeAt(0) | 0x40) + text.slice(1);
    return pick(6) === 0 ? text[0] + String.fromCharCode(text.charCodeAt(1) & 0x7f) + text.slice(2) : text;
  });
  return [...lines.map((line) => `${line}\r\n`), "\r\n", ...frames];
}

function mutated(pick: Pick, pieces: readonly string[]): string[] {
  const at = pick(pieces.length);
  const piece = pieces[at]!;
  const spot = pick(piece.length + 1);
  const random = String.fromCharCode(pick(256));
  const forms = [
    [piece.slice(0, spot)],
    [piece.slice(0, spot) + random + piece.slice(spot)],
    [piece.slice(0, spot) + random + piece.slice(spot + 1)],
    [piece, piece],
    [],
    [oneOf(pick, pieces), piece],
  ];
  return [...pieces.slice(0, at), ...oneOf(pick, forms), ...pieces.slice(at + 1)];
}
