import bodyParser from "body-parser";
import { gzipSync } from "node:zlib";

export const title = "body-parser parses JSON, forms, text and bytes";

export default function (app) {
  app.post("/json", bodyParser.json({ limit: "1kb" }), (req, res) => res.json({ body: req.body }));
  app.post("/form", bodyParser.urlencoded({ extended: true }), (req, res) => res.json(req.body));
  app.post("/flat", bodyParser.urlencoded({ extended: false }), (req, res) => res.json(req.body));
  app.post("/text", bodyParser.text({ type: "text/*" }), (req, res) => res.json({ text: req.body }));
  app.post(
    "/raw",
    bodyParser.raw({ type: () => true }),
    (req, res) => res.json({ isBuffer: Buffer.isBuffer(req.body), hex: req.body.toString("hex") }),
  );
  const verify = (_req, _res, bytes) => {
    if (bytes[0] === 0x5b) throw new Error("no lists");
  };
  app.post(
    "/verified",
    bodyParser.json({ verify, type: "application/*+json" }),
    (req, res) => res.json(req.body ?? "none"),
  );
  app.post("/both", bodyParser.json(), bodyParser.urlencoded(), (req, res) => res.json(req.body ?? "none"));
  app.use((error, _req, res, _next) =>
    res.status(error.status ?? 500).json({
      type: error.type,
      message: error.message,
      limit: error.limit,
      length: error.length,
    })
  );
}

const post = (path, type, body, more) => ({ method: "POST", path, headers: { "Content-Type": type, ...more }, body });

// V8's messages about broken JSON have become longer
export const masks = [/(?<=in JSON at position \d+)[^"]*/g];

const worded = { on: ["Bun"], why: "the errors of `JSON.parse` are worded differently" };

export const requests = [
  { ...post("/json", "application/json", '{"a":[1,2]}'), sees: { body: { body: { a: [1, 2] } } } },
  {
    ...post("/json", "application/json", "{broken"),
    ignore: ["content-length", "etag"],
    sees: { status: 400, body: /entity\.parse\.failed/ },
    differs: { ...worded, parts: ["body"] },
  },
  {
    ...post("/json", "application/json", JSON.stringify("x".repeat(2000))),
    sees: { status: 413, body: /entity\.too\.large/ },
  },
  {
    ...post("/json", "application/json", "1"),
    sees: { status: 400 },
    differs: { ...worded, parts: ["body", "content-length", "etag"] },
  },
  { ...post("/json", "text/plain", "{}"), sees: { body: {} } },
  { ...post("/json", "application/json; charset=latin1", "{}"), sees: { status: 415 } },
  {
    ...post("/json", "application/json", gzipSync('{"zipped":true}'), { "Content-Encoding": "gzip" }),
    sees: { body: { body: { zipped: true } } },
  },
  { ...post("/json", "application/json", "{}", { "Content-Encoding": "unheard-of" }), sees: { status: 415 } },
  { ...post("/json", "application/json", ""), sees: { body: { body: {} } } },
  { method: "POST", path: "/json", sees: { body: {} } },
  {
    ...post("/form", "application/x-www-form-urlencoded", "a[b]=1&a[c][]=2&d=%20+"),
    sees: { body: { a: { b: "1", c: ["2"] }, d: "  " } },
  },
  {
    ...post("/flat", "application/x-www-form-urlencoded", "a[b]=1&a=2&a=3"),
    sees: { body: { "a[b]": "1", a: ["2", "3"] } },
  },
  { ...post("/form", "application/x-www-form-urlencoded; charset=iso-8859-1", "a=%e9"), sees: { body: { a: "é" } } },
  { ...post("/text", "text/plain; charset=iso-8859-1", new Uint8Array([0xe9])), sees: { body: { text: "é" } } },
  { ...post("/text", "text/csv", "a,b\n1,2"), sees: { body: { text: "a,b\n1,2" } } },
  {
    ...post("/raw", "image/png", new Uint8Array([0, 1, 254, 255])),
    sees: { body: { isBuffer: true, hex: "0001feff" } },
  },
  { ...post("/verified", "application/vnd.api+json", '{"ok":1}'), sees: { body: { ok: 1 } } },
  { ...post("/verified", "application/vnd.api+json", "[1]"), sees: { status: 403, body: /entity\.verify\.failed/ } },
  { ...post("/both", "application/x-www-form-urlencoded", "a=1"), sees: { body: { a: "1" } } },
  { ...post("/both", "application/json", '{"a":1}'), sees: { body: { a: 1 } } },
];
