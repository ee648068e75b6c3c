import multer from "multer";
import { readFile } from "node:fs/promises";

export const title = "multer stores uploads in memory and on disk";

export default function (app, _lib, tools) {
  const memory = multer({ storage: multer.memoryStorage(), limits: { fileSize: 200_000, files: 3 } });
  const told = ({ buffer, destination: _folder, path: _path, filename, ...file }) => ({
    ...file,
    filename,
    text: buffer?.toString("utf8", 0, 20),
    isBuffer: buffer && Buffer.isBuffer(buffer),
  });
  app.post("/profile", memory.single("avatar"), (req, res) => res.json({ file: told(req.file), body: req.body }));
  app.post(
    "/photos",
    memory.array("photos", 2),
    (req, res) => res.json({ files: req.files.map(told), body: req.body }),
  );
  app.post(
    "/fields",
    memory.fields([{ name: "avatar", maxCount: 1 }, { name: "gallery", maxCount: 8 }]),
    (req, res) =>
      res.json({ avatar: req.files.avatar.map(told), gallery: req.files.gallery?.map(told), body: req.body }),
  );
  app.post("/none", multer().none(), (req, res) => res.json(req.body));
  app.post("/any", memory.any(), (req, res) => res.json({ files: req.files?.map(told), body: req.body }));
  const disk = multer({
    storage: multer.diskStorage({
      destination: (_req, _file, cb) => cb(null, tools.scratch),
      filename: (_req, file, cb) => cb(null, `${file.fieldname}-stored`),
    }),
  });
  app.post("/disk", disk.single("avatar"), async (req, res) => {
    const stored = await readFile(req.file.path);
    res.json({ file: told(req.file), stored: stored.length, start: stored.toString("utf8", 0, 10) });
  });
  const picky = multer({
    dest: tools.scratch,
    fileFilter: (_req, file, cb) =>
      file.originalname.endsWith(".exe") ? cb(new Error("No programs")) : cb(null, file.originalname.endsWith(".txt")),
  });
  app.post(
    "/picky",
    picky.single("doc"),
    (req, res) => res.json({ kept: req.file !== undefined, size: req.file?.size }),
  );
  app.use((error, _req, res, _next) =>
    res.status(error instanceof multer.MulterError ? 400 : 500).json({
      code: error.code,
      message: error.message,
      field: error.field,
    })
  );
}

const boundary = "----sluice";
const field = (name, value) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name, filename, content, type = "text/plain") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n` +
  `Content-Type: ${type}\r\n\r\n${content}\r\n`;
const post = (path, parts, sees) => ({
  method: "POST",
  path,
  headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
  body: parts.join("") + `--${boundary}--\r\n`,
  sees,
});
const seen = (fieldname, originalname, size, more) => ({
  fieldname,
  originalname,
  encoding: "7bit",
  mimetype: "text/plain",
  size,
  ...more,
});

export const requests = [
  post("/profile", [field("name", "Ada"), file("avatar", "a.txt", "hello")], {
    body: { file: seen("avatar", "a.txt", 5, { text: "hello", isBuffer: true }), body: { name: "Ada" } },
  }),
  post("/profile", [file("avatar", "big.txt", "x".repeat(150_000)), field("after", "the file")], {
    body: {
      file: seen("avatar", "big.txt", 150_000, { text: "x".repeat(20), isBuffer: true }),
      body: { after: "the file" },
    },
  }),
  post("/profile", [file("avatar", "too-big.txt", "x".repeat(200_001))], {
    status: 400,
    body: { code: "LIMIT_FILE_SIZE", message: "File too large", field: "avatar" },
  }),
  post("/profile", [file("unexpected", "a.txt", "hello")], { status: 400, body: /LIMIT_UNEXPECTED_FILE/ }),
  post("/photos", [
    file("photos", "1.txt", "one"),
    file("photos", "2.txt", "two"),
    field("tags[]", "a"),
    field("tags[]", "b"),
  ]),
  post("/photos", [1, 2, 3].map((n) => file("photos", `${n}.txt`, `${n}`)), { status: 400 }),
  post("/fields", [
    file("avatar", "a.txt", "a"),
    file("gallery", "g.png", "\u0001\u0002", "image/png"),
    field("a[b]", "deep"),
  ]),
  post("/none", [field("only", "text"), field("list", "1"), field("list", "2")], {
    body: { only: "text", list: ["1", "2"] },
  }),
  post("/none", [file("a", "a.txt", "a")], { status: 400 }),
  post("/any", [file("x", "naïve.txt", "é"), file("y", "", "")]),
  post("/disk", [file("avatar", "a.txt", "stored on disk ".repeat(10_000))], {
    body: /"stored":150000,"start":"stored on "/,
  }),
  post("/picky", [file("doc", "a.txt", "text")], { body: { kept: true, size: 4 } }),
  post("/picky", [file("doc", "a.png", "image")], { body: { kept: false } }),
  post("/picky", [file("doc", "a.exe", "program")], { status: 500, body: { message: "No programs" } }),
  { method: "POST", path: "/any", headers: { "Content-Type": "application/json" }, body: "{}", sees: { body: {} } },
  { method: "POST", path: "/any", headers: { "Content-Type": "multipart/form-data" }, body: "x" },
  {
    method: "POST",
    path: "/any",
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\nContent-Disposition: form-data; name="cut"\r\n\r\nno end`,
  },
];
