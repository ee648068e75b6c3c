/** Forms for multer on Express and `upload` on Sluice, and where the two differ. */
import type { UploadLimits } from "@sluice/middleware/upload";

export interface Form {
  /** Its name in reports. */
  readonly name: string;
  readonly body: string;
  /** The content type, by default with the boundary `B`. */
  readonly type?: string;
  /** Limits for both. */
  readonly limits?: UploadLimits;
  /** The only field that may have files, and their maximum number: `fields` in both libraries. */
  readonly field?: readonly [name: string, max: number];
  /** Why the two differ; without it, they must agree. */
  readonly differs?: string;
}

/** Writes a part. */
function part(disposition: string, content: string, ...headers: string[]): string {
  return ["--B", `Content-Disposition: form-data; ${disposition}`, ...headers, "", content, ""].join("\r\n");
}

function form(...parts: string[]): string {
  return `${parts.join("")}--B--\r\n`;
}

const file = (filename: string, content = "content") =>
  part(`name="f"; filename=${filename}`, content, "Content-Type: text/css");

const PATHS = ["../../etc/passwd", "/etc/passwd", String.raw`C:\temp\report.doc`];
const FOLDERS = ["a/", "folder/..", "..", "."];

export const FORMS: readonly Form[] = [
  { name: "a field and a file", body: form(part('name="a"', "1"), file('"a.css"')) },
  { name: "no part", body: "--B--\r\n" },
  { name: "no line end behind the end", body: form(part('name="a"', "1")).slice(0, -2) },
  { name: "text in front and behind", body: `preamble\r\n--\r\n${form(part('name="a"', "1"))}epilogue\r\n--B\r\n` },
  { name: "a repeated field", body: form(part('name="a"', "1"), part('name="a"', "2"), part('name="a"', "3")) },
  { name: "files in several fields", body: form(file('"1"'), part('name="g"; filename="2"', "x"), file('"3"')) },
  { name: "a byte order mark", body: form(part('name="a"', "\ufeff1")) },
  { name: "an empty field", body: form(part('name="a"', "")) },
  { name: "an empty name", body: form(part('name=""', "1")) },
  { name: "an empty file", body: form(file('"empty"', "")) },
  { name: "no file chosen", body: form(part('name="f"; filename=""', "", "Content-Type: application/octet-stream")) },
  { name: "a file without a type", body: form(part('name="f"; filename="x"', "content")) },
  {
    name: "a type with parameters",
    body: form(part('name="f"; filename="x"', "c", "Content-Type: Text/HTML; charset=x")),
  },
  { name: "a type that is none", body: form(part('name="f"; filename="x"', "c", "Content-Type: nonsense")) },
  {
    name: "line ends in contents",
    body: form(part('name="a"', "\r\n\r\r\n\n\r"), file('"a"', "\r\n--\r\n--C\r\n-\r")),
  },
  { name: "nearly a delimiter", body: form(part('name="a"', "-\r\n--b\r\n-B\r\n -B\n--B x--B--")) },
  {
    name: "no content behind the headers",
    body: '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n--B--',
    differs: "multer does not know that a part may have no content",
  },
  { name: "header names in any case", body: form('--B\r\ncontent-DISPOSITION: FORM-data; NAME="a"\r\n\r\n1\r\n') },
  { name: "names without quotes", body: form(part("name=a", "1"), part("name=f; filename=x.css", "1")) },
  { name: "parameters in another order", body: form(part('filename="x"; name="f"', "1")) },
  { name: "no space between parameters", body: form(part('name="f";filename="x"', "1")) },
  { name: "names in UTF-8", body: form(part('name="größe"', "groß €"), file('"größe €😀.css"')) },
  { name: "names that browsers escape", body: form(part('name="a%22b%0D%0Ac"', "1"), file('"%22x%22 50%25.css"')) },
  {
    name: "quotes escaped by a backslash",
    body: form(part(String.raw`name="a\"b\\c"`, "1"), file(String.raw`"a\"b"`)),
  },
  { name: "further headers", body: form(part('name="a"', "1", "X-Other: x", "Content-Transfer-Encoding: 8bit")) },
  { name: "a boundary in quotes", type: 'multipart/form-data; boundary="B"', body: form(part('name="a"', "1")) },
  {
    name: "further parameters of the type",
    type: "multipart/form-data; x=y; boundary=B",
    body: form(part('name="a"', "1")),
  },
  {
    name: "a body that is no form",
    type: "application/json",
    body: "{}",
    differs: "multer leaves req.files undefined, which its types say of all requests",
  },
  ...FOLDERS.map((path) => {
    return { name: `the path ${path}`, body: form(file(`"${path}"`)), differs: "multer drops a file without a name" };
  }),
  ...PATHS.map((path) => ({ name: `the path ${path}`, body: form(file(`"${path}"`)) })),

  { name: "a file and nothing but filename*", body: form(part("name=f; filename*=utf-8''gr%C3%B6%C3%9Fe", "1")) },
  {
    name: "filename and filename*",
    body: form(part(`name="f"; filename="plain"; filename*=utf-8''extended`, "1")),
    differs: "RFC 7578 forbids filename*, which multer prefers",
  },
  {
    name: "a filename* that is malformed",
    body: form(part("name=f; filename*=utf-8''%FF", "1")),
    differs: "what cannot be decoded stays as it came",
  },
  {
    name: "names with brackets",
    body: form(part('name="a[b]"', "1"), part('name="c[]"', "1")),
    differs: "multer nests them; urlencoded() of Express 5 does not either",
  },
  {
    name: "the name __proto__",
    body: form(part('name="__proto__"', "1")),
    differs: "multer keeps the field, which is a danger for whoever copies the body",
  },
  { name: "names that objects inherit", body: form(part('name="toString"', "1"), part('name="constructor"', "1")) },
  {
    name: "a value in another charset",
    body: form(part('name="a"', "gr\u00f6\u00dfe", "Content-Type: text/plain; charset=iso-8859-1")),
    differs: "multer decodes it, although browsers and RFC 7578 know nothing but UTF-8",
  },
  {
    name: "bytes without a name of a file",
    body: form(part('name="a"', "1", "Content-Type: application/octet-stream")),
    differs: "multer drops it, and it is a field",
  },
  {
    name: "content without a chosen file",
    body: form(part('name="f"; filename=""', "content", "Content-Type: application/octet-stream")),
  },
  {
    name: "space behind a delimiter",
    body: form(part('name="a"', "1")).replaceAll("--B\r\n", "--B \t\r\n"),
    differs: "multer does not know that RFC 2046 allows it",
  },
  { name: "a part without headers", body: form("--B\r\n\r\n1\r\n", part('name="a"', "1")) },
  {
    name: "a part that is something else",
    body: form("--B\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n"),
    differs: "multer drops what is no part of a form",
  },
  {
    name: "a disposition that is malformed",
    body: form(part('name="a"b"', "1")),
    differs: "multer drops what is no part of a form",
  },
  { name: "a parameter that is repeated", body: form(part('name="a"; name="b"', "1")) },
  {
    name: "another type of multipart",
    type: "multipart/mixed; boundary=B",
    body: form(part('name="a"', "1")),
    differs: "multer refuses it, and it passes",
  },

  { name: "as many files as allowed", limits: { files: 2 }, body: form(file('"1"'), file('"2"')) },
  { name: "too many files", limits: { files: 1 }, body: form(file('"1"'), file('"2"')) },
  { name: "a file as large as allowed", limits: { fileSize: 7 }, body: form(file('"1"')) },
  { name: "a file that is too large", limits: { fileSize: 6 }, body: form(file('"1"')) },
  {
    name: "as many fields as allowed",
    limits: { fields: 2 },
    body: form(part('name="a"', "1"), part('name="b"', "1")),
  },
  { name: "too many fields", limits: { fields: 1 }, body: form(part('name="a"', "1"), part('name="b"', "1")) },
  { name: "a value as long as allowed", limits: { fieldSize: 3 }, body: form(part('name="a"', "123")) },
  { name: "a value that is too long", limits: { fieldSize: 3 }, body: form(part('name="a"', "1234")) },
  { name: "a name as long as allowed", limits: { fieldNameSize: 3 }, body: form(part('name="abc"', "1")) },
  { name: "a name that is too long", limits: { fieldNameSize: 3 }, body: form(part('name="abcd"', "1")) },
  { name: "a name of a file's field that is too long", limits: { fieldNameSize: 0 }, body: form(file('"1"')) },
  { name: "as many parts as allowed", limits: { parts: 2 }, body: form(part('name="a"', "1"), file('"1"')) },
  { name: "too many parts", limits: { parts: 1 }, body: form(part('name="a"', "1"), file('"1"')) },
  { name: "a file that is expected", field: ["f", 1], body: form(file('"1"')) },
  { name: "a file that is not expected", field: ["g", 1], body: form(file('"1"')) },
  { name: "more files than expected in a field", field: ["f", 1], body: form(file('"1"'), file('"2"')) },
  { name: "no boundary", type: "multipart/form-data", body: form(part('name="a"', "1")) },
  { name: "no end", body: part('name="a"', "1") },
  { name: "no end of a file", body: file('"1"') },
  { name: "no end of the headers", body: '--B\r\nContent-Disposition: form-data; name="a"\r\n' },
  { name: "an empty body", body: "" },
  { name: "no name", body: form(part('filename="x"', "1")) },
  { name: "no name of a field", body: form("--B\r\nContent-Disposition: form-data\r\n\r\n1\r\n") },
  { name: "a header that is none", body: form(part('name="a"', "1", "no colon")) },
  { name: "only line feeds", body: form(part('name="a"', "1")).replaceAll("\r", "") },
];
