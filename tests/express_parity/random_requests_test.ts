/**
 * Random requests, to Sluice and to Express. Both frameworks must report the same client, interpret headers alike, and
 * parse bodies alike.
 */
import { Buffer } from "node:buffer";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { type Any, serveBoth } from "../support/sluice_and_express.ts";
import { oneOf, type Pick, random } from "../support/random.ts";
import { opened } from "../support/raw_client.ts";

const CODINGS: Readonly<Record<string, ((text: Uint8Array) => Uint8Array) | null>> = {
  ...{ gzip: gzipSync, GZIP: gzipSync, deflate: deflateSync, br: brotliCompressSync },
  ...{ identity: null, "x-gzip": null, "gzip, gzip": null },
};
const TYPES = [
  ...[
    "application/json",
    "application/json; charset=UTF-8",
    "APPLICATION/JSON;charset=latin1",
    "application/vnd.api+json",
  ],
  ...["text/plain", "text/plain; charset=iso-8859-1", "text/plain;charset=KOI8-R", "text/html;level=1", "none", ""],
  ...["application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=iso-8859-1", "a/b", "json"],
];
const BODIES = [
  ...[
    "",
    "{}",
    '{"a":1.5}',
    '[1,{"b":null}]',
    '"text"',
    "12",
    ' \n{"a":"ü"}',
    '{"a":',
    '{"__proto__":{"x":1},"b":{}}',
  ],
  ...[
    "            a text that begins late",
    "a text of twenty-one ch",
    "\ufeff{}",
    "hello ü",
    "1234567",
    "x".repeat(300),
  ],
  ...[
    "a=1&b=2",
    "a[b][c][d]=1&a[b][e]=2",
    "a[]=1&a[5]=x",
    "a=%zz&b=%e4&c=+x+",
    "a&b=&=c&&d",
    "a=1&a=2&a[b]=3",
    "a[1=x&]=y",
  ],
  ...[
    "utf8=%26%2310003%3B&a=%FC&n=%26%239786%3B",
    "hasOwnProperty=1&__proto__[x]=1",
    "a[1]=x&a[0]=y&a[100]=z",
    "x=1;y=2",
  ],
];
const PATHS = [
  ...["/", "/a/b?x=1", "/?a[b]=1&a[c][]=2", "/?x=%zz&y=%20+z", "/?a=1&a=2", "/?__proto__[x]=1&constructor=2", "/%zz"],
  ...[
    "//double//slash",
    "/?",
    "/a?b?c=d",
    "/p;x=1?%C3%A9",
    "/x?a.b=c&d%5Be%5D=f",
    "/?=x&&b",
    "/a%2Fb/../c/./d",
    "/a?q=a;b",
  ],
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  "X-Forwarded-For": [
    "1.2.3.4",
    "1.2.3.4, 5.6.7.8",
    "::1",
    "10.0.0.1,127.0.0.1",
    " , ",
    "1.2.3.4:80",
    "",
    "9.9.9.9, 10.0.0.2",
  ],
  "X-Forwarded-Proto": ["https", "https, http", "HTTPS", "none", ""],
  "X-Forwarded-Host": ["a.b.proxy.com", "a.com, b.com", " x.com:99 , y", ""],
  "Accept": [
    "text/html",
    "application/json;q=0.5, text/html;q=0.9",
    "image/*",
    "text/*;q=0, */*",
    "",
    "none",
    "text/html;q=.5;q=1",
  ],
  "Accept-Encoding": ["gzip", "gzip;q=0, *", "identity;q=0", "br;q=1.0, gzip;q=0.8, *;q=0.1", "", "*;q=0"],
  "Accept-Charset": ["utf-8", "latin1, *;q=0.1", "*;q=0", "none;q=x"],
  "Accept-Language": ["de-AT, de;q=0.8, *;q=0.1", "en-US,en;q=0.5", "zh-Hant-TW", "", "fr;q=0"],
  "Range": [
    "bytes=0-10",
    "bytes=-5",
    "bytes=95-",
    "bytes=0-1,50-60",
    "bytes=200-",
    "bytes=5-1",
    "lines=0-2",
    "bytes",
    "",
  ],
  "If-None-Match": ['"x"', 'W/"x"', '"y", "x"', "*", ""],
  "If-Modified-Since": ["Thu, 01 Jan 2015 00:00:00 GMT", "Thu, 01 Jan 2014 00:00:00 GMT", "none"],
  "Cache-Control": ["no-cache", "max-age=0"],
  "Referer": ["http://from/"],
  "Referrer": ["http://other/"],
  "X-Requested-With": ["XMLHttpRequest", "xmlhttprequest"],
  "Set-Cookie": ["a=1; Path=/", "a=1, b=2"],
  "X-Own": [" a  b\t", "", "\xfc"],
};
const HOSTS = ["localhost", "a.b.example.com", "EXAMPLE.com:8080", "[::1]:3000", "a.b.c.d.tld", "x_y", "example.com."];
const SHOWN = [
  ...[
    "ip",
    "ips",
    "protocol",
    "secure",
    "hostname",
    "host",
    "subdomains",
    "xhr",
    "fresh",
    "stale",
    "path",
    "originalUrl",
  ],
  ...["url", "query", "method", "httpVersion", "headers", "rawHeaders"],
];
const CALLS: readonly (readonly [method: string, ...given: unknown[]])[] = [
  ...[[], ["html", "json"], [["text", "image/png"]], ["application/vnd.api+json", "html"]].map((types) =>
    ["accepts", ...types] as const
  ),
  ...[[], ["gzip", "br"], ["identity"]].map((codings) => ["acceptsEncodings", ...codings] as const),
  ...[[], ["utf-8", "latin1"]].map((charsets) => ["acceptsCharsets", ...charsets] as const),
  ...[[], ["en", "de-AT", "fr"]].map((languages) => ["acceptsLanguages", ...languages] as const),
  ...["json", "text/*", "urlencoded", "*/*", "+json", ["html", "json"]].map((type) => ["is", type] as const),
  ...["referrer", "Host", "x-own", "set-cookie"].map((name) => ["get", name] as const),
  ["range", 100],
  ["range", 10, { combine: true }],
];

/** Sets an option one time in three, so most options keep their defaults. */
function sometimes(pick: Pick, name: string, values: readonly unknown[]): Record<string, unknown> {
  return pick(3) === 0 ? { [name]: oneOf(pick, values) } : {};
}

function randomParser(pick: Pick): readonly [kind: string, options: Any] {
  const kind = oneOf(pick, ["json", "json", "urlencoded", "text", "raw"]);
  const verify = (_req: Any, _res: Any, bytes: Uint8Array, encoding: string) => {
    if (bytes.length === 7) throw Object.assign(new Error(`no seven, ${encoding}`), { status: 418 });
  };
  return [kind, {
    ...sometimes(pick, "limit", [10, "20b", "1kb", 0, null]),
    ...sometimes(pick, "type", ["*/*", "text/*", ["json", "text/plain"], "application/*+json", "urlencoded"]),
    ...sometimes(pick, "inflate", [true, false]),
    ...sometimes(pick, "verify", [verify]),
    ...sometimes(pick, "strict", [true, false]),
    ...sometimes(pick, "reviver", [(_key: string, value: unknown) => typeof value === "number" ? value + 1 : value]),
    ...sometimes(pick, "extended", [true, false]),
    ...sometimes(pick, "parameterLimit", [1, 2, 1000, Infinity]),
    ...(kind === "urlencoded" ? sometimes(pick, "depth", [0, 1, 32]) : {}),
    ...(kind === "text" ? sometimes(pick, "defaultCharset", ["utf-8", "latin1"]) : {}),
  }];
}

/** Settings and parsers for an application that responds with everything it sees. */
function randomProgram(pick: Pick): (lib: Any) => Any {
  const trust = oneOf(pick, [false, true, 1, 2, "loopback", "10.0.0.0/8, loopback"]);
  const query = oneOf(pick, ["simple", "extended", false, true]);
  const parsers = Array.from({ length: pick(3) }, () => randomParser(pick));
  return (lib) => {
    const app = lib().set("env", "test").set("trust proxy", trust).set("query parser", query);
    for (const [kind, options] of parsers) app.use(lib[kind](options));
    app.use((req: Any, res: Any) => {
      res.set({ "ETag": '"x"', "Last-Modified": "Thu, 01 Jan 2015 00:00:00 GMT" });
      const shown = SHOWN.map((name) => [name, req[name]]);
      const said = CALLS.map((call) => [...call, told(() => req[call[0]](...call.slice(1)))]);
      res.json({ shown, said, body: [typeof req.body, Buffer.isBuffer(req.body), req.body] });
    });
    app.use((error: Any, _req: Any, res: Any, _next: Any) => {
      const { status, type, message, expose, body, limit, length, charset, encoding } = error;
      res.status(status ?? 500).json({ status, type, message, expose, body, limit, length, charset, encoding });
    });
    return app;
  };
}

function told(ask: () => unknown): unknown {
  const response = ask();
  if (response === undefined) return "undefined";
  // the ranges' type is a property on the list
  return Array.isArray(response) ? [...response, (response as { type?: string }).type] : response;
}

interface RawAsk {
  readonly start: string;
  readonly headers: readonly string[];
  readonly body: Uint8Array<ArrayBuffer>;
}

function randomAsk(pick: Pick, program: number): RawAsk {
  const method = oneOf(pick, ["GET", "POST", "POST", "PUT", "PATCH", "DELETE"]);
  const headers = [
    `x-program: ${program}`,
    `${oneOf(pick, ["HOST", "Host"])}: ${oneOf(pick, HOSTS)}`,
  ];
  for (const [name, values] of Object.entries(HEADERS)) {
    if (pick(3) === 0) headers.push(`${name}: ${oneOf(pick, values)}`);
  }
  if (pick(6) === 0) headers.push("X-Own: again", "accept: application/json");
  const start = `${method} ${oneOf(pick, PATHS)}`;
  // in this case, a web request has no body
  if (method === "GET") return { start, headers, body: new Uint8Array(0) };
  let body: Uint8Array = Buffer.from(oneOf(pick, BODIES), oneOf(pick, ["utf8", "latin1"]));
  if (pick(5) > 0) headers.push(`Content-Type: ${oneOf(pick, TYPES)}`);
  if (pick(2) === 0) {
    const coding = oneOf(pick, Object.keys(CODINGS));
    headers.push(`Content-Encoding: ${coding}`);
    body = CODINGS[coding]?.(body) ?? body;
  }
  if (pick(4) > 0) {
    return { start, headers: [...headers, `Content-Length: ${body.length}`], body: new Uint8Array(body) };
  }
  const chunk = body.length === 0 ? [] : [`${body.length.toString(16)}\r\n`, body, "\r\n"];
  const chunked = Buffer.concat([...chunk, "0\r\n\r\n"].map((part) => Buffer.from(part as string)));
  return { start, headers: [...headers, "Transfer-Encoding: chunked"], body: new Uint8Array(chunked) };
}

/** Reads status and body; an early close would cut off a server that has not read the whole request. */
async function wholeAnswer(connection: Deno.TcpConn): Promise<readonly [status: string, body: Any]> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  for (let seen = "";;) {
    const count = await connection.read(buffer);
    if (count === null) throw new Error(`the connection ended too early: ${seen}`);
    seen += decoder.decode(buffer.subarray(0, count), { stream: true });
    const [head, body] = seen.split("\r\n\r\n");
    if (body === undefined) continue;
    const length = /^content-length: (\d+)/im.exec(head!)?.[1] ?? 0;
    if (new TextEncoder().encode(body).length >= Number(length)) {
      return [head!.slice(9, 12), JSON.parse(body || "null")];
    }
  }
}

Deno.test("whatever a client sends, a request shows what Express's shows, and its body is parsed the same", async () => {
  const pick = random(11);
  const programs = Array.from({ length: 100 }, () => randomProgram(pick));
  const asks = programs.flatMap((_, program) => Array.from({ length: 5 }, () => randomAsk(pick, program)));
  const [ours, theirs] = await serveBoth((app, lib) => {
    const apps = programs.map((make) => make(lib));
    app.use((req: Any, res: Any, next: Any) => apps[req.headers["x-program"]](req, res, next));
  }, async (origin) => {
    const responses: (readonly [status: string, body: Any])[] = [];
    for (const { start, headers, body } of asks) {
      const head = new TextEncoder().encode([`${start} HTTP/1.1`, ...headers, "", ""].join("\r\n"));
      const connection = await opened({ port: Number(new URL(origin).port) }, new Uint8Array([...head, ...body]));
      const response = await wholeAnswer(connection);
      connection.close();
      responses.push(response);
    }
    return responses;
  });
  for (const [i, ask] of asks.entries()) assertEquals(ours[i], theirs[i], Deno.inspect(ask));
  for (const status of ["200", "304", "400", "413", "415"]) {
    assert(theirs.some(([seen]) => seen === status), `nobody was answered with ${status}`);
  }
});
