/**
 * The pairs fuzzer's target: an application with two middlewares in front of every kind of response, on Sluice or, with
 * `PAIRS_OF=express`, on Express. It puts files into `PAIRS_FOLDER`, and prints its port.
 */
import sluice from "@sluice/sluice";
import express from "express";
import { Buffer } from "node:buffer";
import { utimesSync, writeFileSync } from "node:fs";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { ANSWERS, type Content, STATIC } from "./answers.ts";
import { ENTRIES, type StoreKind } from "./entries.ts";
import { FAULTS } from "./faults.ts";
import { SIZES, textOf } from "./sizes.ts";

/** A request as the server saw it. */
export interface Seen {
  /** Number of `finish` events in front of, between and behind the middlewares. */
  readonly finish: number[];
  /** Number of `close` events. */
  readonly close: number[];
  /** How often the request was logged. */
  logged: number;
  /** Reported errors that were not planted. */
  readonly errors: string[];
}

const { process } = globalThis as unknown as {
  process: { env: Record<string, string | undefined> };
};
const isExpress = process.env["PAIRS_OF"] === "express";
const fault = process.env["PLANTED_FAULT"];
const lib: Any = isExpress ? express : sluice;

const folder = process.env["PAIRS_FOLDER"]!;
const contents = new Map<string, Content>(SIZES.map((size) => {
  const text = textOf(size);
  const path = `${folder}/${size}.txt`;
  writeFileSync(path, text);
  utimesSync(path, 1e9, 1e9);
  return [size, { text, bytes: Buffer.from(text), path }];
}));
writeFileSync(`${folder}/view.own`, "");

const seen = new Map<string, Seen>();

function seenOf(name: string): Seen {
  const known = seen.get(name) ?? { finish: [0, 0, 0], close: [0, 0, 0], logged: 0, errors: [] };
  seen.set(name, known);
  return known;
}

function probe(at: number): Any {
  return (req: Any, res: Any, next: Any) => {
    const mine = seenOf(req.get("x-case"));
    res.on("finish", () => mine.finish[at]!++);
    res.on("close", () => mine.close[at]!++);
    next();
  };
}

const app = lib().set("env", isExpress ? "test" : "production").disable("x-powered-by").set(
  "etag",
  isExpress ? "weak" : "sha1",
);
app.set("views", folder).engine("own", (_path: string, { text }: Any, done: Any) => done(null, text));
app.set("view engine", "own");
if (!isExpress) {
  app.on("error", (error: Any, context: Any) => {
    const name = context.req?.get?.("x-case");
    if (name !== undefined && !/planted/.test(error?.message)) seenOf(name).errors.push(`${context.phase}: ${error}`);
  });
}

const routes = lib.Router();
routes.use(`/${STATIC.replaceAll(" ", "-")}`, lib.static(folder));
routes.all("/:kind/:size.txt", (req: Any, res: Any, next: Any) => {
  if (req.session) req.session.views = (req.session.views ?? 0) + 1;
  if (req.csrfToken) req.csrfToken();
  res.set("X-Body", req.body === undefined ? "none" : JSON.stringify(req.body)?.slice(0, 100));
  const respond = ANSWERS[req.params.kind];
  // the static middleware leaves POST to other handlers
  if (respond === undefined) return next();
  return respond(req, res, next, contents.get(req.params.size)!);
});

const mounted = new Set<string>();

function mount(path: string): void {
  if (mounted.has(path)) return;
  mounted.add(path);
  const [store, ...names] = path.split("/").filter(Boolean).map(decodeURIComponent);
  const made = names.map((name) => {
    const making = { store: store as StoreKind, logged: (name: string) => void seenOf(name).logged++ };
    return name === "none" ? (_req: Any, _res: Any, next: Any) => next() : ENTRIES[name]!(making);
  });
  const planted = fault === undefined || names.includes("none") ? [] : [FAULTS[fault]!];
  app.use(path, probe(0), made[0], probe(1), made[1], probe(2), ...planted, routes);
}

app.get("/control/ready", (_req: Any, res: Any) => res.json("ready"));
app.get("/control/mount", (req: Any, res: Any) => {
  for (const path of String(req.query.paths).split(",")) mount(path);
  res.json("mounted");
});
app.get("/control/seen", (req: Any, res: Any) => {
  const names = String(req.query.cases).split(",");
  const all = names.map(seenOf);
  if (req.query.forget) names.forEach((name) => seen.delete(name));
  res.json(all);
});

const server = app.listen(0, "127.0.0.1", () => setTimeout(() => console.log(server.address().port)));
