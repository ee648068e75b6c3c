/** Requests, and the expected verdict on each from every library's schemas. */

/** A request and its response status. */
export interface Judged {
  /** Its description. */
  readonly name: string;
  /** Query string, after the route's path. */
  readonly query?: string;
  readonly init: RequestInit;
  /** Response status: 200 or a 4xx. */
  readonly status: number;
}

const PAGE = "?page=1";

/** A request with JSON, or with any string sent as JSON. */
export function posted(body: unknown, headers: Record<string, string> = {}): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: text };
}

function note(name: string, body: unknown, status: number, query = PAGE): Judged {
  return { name, query, init: posted(body), status };
}

const VALID = { name: "a", n: 1 };
const deep = (opening: string, closing: string, levels: number) => opening.repeat(levels) + closing.repeat(levels);

/** Requests with JSON: a body `{ name, n, tags? }`, and a numeric query `page`. */
export const NOTES: readonly Judged[] = [
  note("valid", VALID, 200),
  note("more than is expected", { ...VALID, more: [{}] }, 200, "?page=1&x=2"),
  note("an array that is expected", { ...VALID, tags: ["x"] }, 200),
  note("a number as text", { ...VALID, n: "1" }, 400),
  note("a number that is none", '{"name":"a","n":NaN}', 400),
  note("a number that is too large for one", '{"name":"a","n":1e999}', 400),
  note("an array where one is wanted", { ...VALID, name: ["a"] }, 400),
  note("one where an array is wanted", { ...VALID, tags: "x" }, 400),
  note("a list", [], 400),
  note("a list of what is wanted", [VALID], 400),
  note("null where text is wanted", { ...VALID, name: null }, 400),
  note("null", "null", 400),
  note("a text that is no JSON", '"a', 400),
  note("a date where text is wanted", { ...VALID, name: { $date: 0 } }, 400),
  note("a date where a number is wanted", { ...VALID, n: new Date(0) }, 400),
  note("a duplicate parameter", VALID, 400, "?page=1&page=2"),
  note("a thousand duplicates", VALID, 400, `?${"page=1&".repeat(1000)}`),
  note("a parameter that is missing", VALID, 400, ""),
  note("a parameter that is empty", VALID, 400, "?page="),
  note("a parameter that is an object", VALID, 400, "?page[a]=1"),
  note("a parameter that is no text", VALID, 400, "?page=%ff%fe"),
  note("__proto__ in the body", '{"__proto__":{"name":"a"},"n":1}', 400),
  note("constructor in the body", '{"constructor":{"prototype":{"name":"a"}},"n":1}', 400),
  note("__proto__ beside what is wanted", '{"__proto__":{"admin":true},"name":"a","n":1}', 200),
  note("__proto__ in the query", VALID, 400, "?__proto__[page]=1"),
  note("__proto__ in the query, as text", VALID, 400, "?__proto__=1"),
  note("a long text", { ...VALID, name: "x".repeat(90_000) }, 400),
  note("a long parameter that is valid", VALID, 200, `?page=${"1".repeat(4000)}`),
  note("a body that is too large", { ...VALID, name: "x".repeat(110_000) }, 413),
  note("deep lists", deep("[", "]", 40_000), 400),
  note("deep objects", `${'{"a":'.repeat(15_000)}1${"}".repeat(15_000)}`, 400),
  note("deep lists where text is wanted", `{"name":${deep("[", "]", 40_000)},"n":1}`, 400),
  note("many wrong ones in a list", { ...VALID, tags: Array(1000).fill(1) }, 400),
  note("no JSON", "{", 400),
  { name: "no body", query: PAGE, init: { method: "POST" }, status: 400 },
  note("an empty body", "", 400),
  {
    name: "a form",
    query: PAGE,
    init: posted("name=a&n=1", { "content-type": "application/x-www-form-urlencoded" }),
    status: 415,
  },
  { name: "text", query: PAGE, init: posted(JSON.stringify(VALID), { "content-type": "text/plain" }), status: 415 },
  { name: "bytes", query: PAGE, init: posted("{}", { "content-type": "application/octet-stream" }), status: 415 },
];

function form(name: string, status: number, ...fields: readonly (readonly [string, string | File])[]): Judged {
  const body = new FormData();
  for (const [field, value] of fields) body.append(field, value);
  return { name, init: { method: "POST", body }, status };
}

const TITLE = ["title", "Milk"] as const;
const NUMBER = ["n", "1"] as const;
const PICTURE = ["picture", new File(["pixels"], "a.png", { type: "image/png" })] as const;

/** Forms: the strings `title` and `n`, and optionally one picture, for a route whose schema rejects with 422. */
export const FORMS: readonly Judged[] = [
  form("text and a file", 200, TITLE, NUMBER, PICTURE),
  form("text alone", 200, TITLE, NUMBER),
  form("text where a file is wanted", 200, TITLE, NUMBER, ["picture", "none"]),
  form("a text that is missing", 422, TITLE, PICTURE),
  form("a text that is wrong", 422, TITLE, ["n", "x"], PICTURE),
  form("a long text", 422, ["title", "x".repeat(50_000)], NUMBER),
  form("a field twice", 422, TITLE, TITLE, NUMBER),
  form("__proto__", 422, ["__proto__", "x"], NUMBER),
  form("two files where one is wanted", 413, TITLE, NUMBER, PICTURE, PICTURE),
  form("a file where text is wanted", 400, ["title", new File(["Milk"], "a.txt")], NUMBER),
  form("a file of another type", 415, TITLE, NUMBER, ["picture", new File(["a"], "a.txt", { type: "text/plain" })]),
  {
    name: "a form of another type",
    init: { method: "POST", body: new URLSearchParams({ title: "Milk", n: "1" }) },
    status: 415,
  },
];
