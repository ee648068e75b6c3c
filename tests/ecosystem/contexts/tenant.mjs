// Notes for several tenants, on the library given as the first argument. A request's tenant is kept only in
// AsyncLocalStorage: the code that stores and reads notes receives no request. The program sends itself concurrent
// notes for all tenants, in every kind of body, and prints each tenant's notes.
import { AsyncLocalStorage } from "node:async_hooks";
import { Buffer } from "node:buffer";
import process from "node:process";
import multer from "multer";

const { default: library } = await import(process.argv[2]);
const tenants = new AsyncLocalStorage();
const notes = new Map();

function store(note) {
  const tenant = tenants.getStore()?.name ?? "nobody";
  notes.set(tenant, [...notes.get(tenant) ?? [], note]);
}

const app = library().set("env", "test");
app.use((req, _res, next) => tenants.run({ name: req.get("x-tenant") }, next));
app.use(library.json(), library.urlencoded({ extended: true }), library.text(), library.raw(), multer().none());
app.post("/notes", async (req, res) => {
  const { body } = req;
  await new Promise((resolve) => setTimeout(resolve, 2));
  store(typeof body === "string" ? body : Buffer.isBuffer(body) ? String(body) : body.note);
  res.status(201).end();
});

const server = await new Promise((resolve) => {
  const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
});
const url = `http://127.0.0.1:${server.address().port}/notes`;
const BODIES = {
  "application/json": (note) => JSON.stringify({ note }),
  "application/x-www-form-urlencoded": (note) => `note=${note}`,
  "text/plain": (note) => note,
  "application/octet-stream": (note) => note,
  "multipart/form-data; boundary=b": (note) =>
    `--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${note}\r\n--b--\r\n`,
};
const names = ["ada", "ben", "cleo", "dora"];
await Promise.all(names.flatMap((name) =>
  Object.entries(BODIES).map(async ([type, bodyOf], i) => {
    const headers = { "content-type": type, "x-tenant": name };
    await (await fetch(url, { method: "POST", headers, body: bodyOf(`${name}-${i}`) })).text();
  })
));
console.log(JSON.stringify(Object.fromEntries([...notes].sort().map(([name, own]) => [name, own.sort()]))));
process.exit(0);
