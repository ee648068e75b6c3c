/** Runs on Node: posts every form to multer on Express and to `upload` on Sluice, and prints both results. */
import express from "express";
import multer from "multer";
import sluice, { type Request, type Response } from "@sluice/sluice";
import { upload, type UploadedFile } from "@sluice/middleware/upload";
import { type Form, FORMS } from "./upload_forms.ts";

// deno-lint-ignore no-explicit-any -- two libraries with one API but separate types
type Any = any;

function show(req: Request, res: Response): void {
  const given = req.files as UploadedFile[] | Record<string, UploadedFile[]> | undefined;
  const files = given === undefined || Array.isArray(given) ? given ?? [] : Object.values(given).flat();
  res.json({
    body: req.body === undefined ? "none" : { ...req.body },
    isPlain: req.body === undefined || Object.getPrototypeOf(req.body) === null,
    fields: Array.isArray(given) ? "a list" : Object.keys(given ?? {}),
    files: files.map(({ fieldname, originalname, mimetype, size, buffer }) => {
      return { fieldname, originalname, mimetype, size, text: String(buffer) };
    }),
  });
}

function refuse(error: Any, _req: Request, res: Response, _next: unknown): void {
  res.status(200).json({ code: error.code ?? "MALFORMED_FORM", field: error.field });
}

function takes(app: Any, path: string, middleware: Any): void {
  app.post(path, middleware, show, refuse);
}

function middlewares({ limits = {}, field }: Form): [Any, Any] {
  const fields = field === undefined ? {} : { fields: { [field[0]]: { maxCount: field[1] } } };
  // all browsers and current clients send names in UTF-8
  const theirs = (multer as Any)({ limits, defParamCharset: "utf8" });
  return [
    upload({ limits, ...fields }),
    field === undefined ? theirs.any() : theirs.fields([{ name: field[0], maxCount: field[1] }]),
  ];
}

const ours = sluice().set("env", "test");
const theirs = express();
FORMS.forEach((form, i) => {
  const [mine, yours] = middlewares(form);
  takes(ours, `/${i}`, mine);
  takes(theirs, `/${i}`, yours);
});

const servers: Any[] = [ours, theirs].map((app: Any) => app.listen(0, "127.0.0.1"));
await Promise.all(servers.map((server) => server.listening || new Promise((go) => server.once("listening", go))));
const seen = [];
for (const [i, { body, type = "multipart/form-data; boundary=B" }] of FORMS.entries()) {
  const [mine, yours] = await Promise.all(servers.map(async (server) => {
    const { port } = server.address();
    const response = await fetch(`http://127.0.0.1:${port}/${i}`, {
      method: "POST",
      headers: { "content-type": type },
      body: new TextEncoder().encode(body),
    });
    return await response.json();
  }));
  seen.push([mine, yours]);
}
console.log(JSON.stringify(seen));
(globalThis as Any).process.exit(0);
