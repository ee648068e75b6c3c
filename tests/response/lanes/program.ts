/** Every way to respond, behind everything that may come between a handler and its response. */
import process from "node:process";
import { Readable } from "node:stream";
import type { Any } from "../../support/sluice_and_express.ts";

/** Code between a handler and its response; the first lane has none. */
export const LANES: Readonly<Record<string, (res: Any) => Any>> = {
  "plain": (res) => res,
  "a header": (res) => res.set("X-Lane", "1"),
  "setHeader replaced": (res) => replaced(res, "setHeader"),
  "set replaced": (res) => replaced(res, "set"),
  "writeHead replaced": (res) => replaced(res, "writeHead"),
  "write and end replaced": (res) => replaced(replaced(res, "write"), "end"),
  "send replaced": (res) => replaced(res, "send"),
  "derived": (res) => Object.create(res),
};

/** Lanes that work in Express: there, a response derived from an Express response never ends. */
export const LANES_OF_EXPRESS = Object.keys(LANES).filter((lane) => lane !== "derived");

function replaced(res: Any, name: string): Any {
  const plain = res[name];
  res[name] = function (...args: unknown[]) {
    return plain.apply(this, args);
  };
  return res;
}

const LONG = "0123456789".repeat(500);

/** Ways to respond. */
export const WAYS: Readonly<Record<string, (res: Any) => unknown>> = {
  "send a text": (res) => res.send("hello"),
  "send a long text": (res) => res.send(LONG),
  "send an empty text": (res) => res.send(""),
  "send bytes": (res) => res.send(new TextEncoder().encode("bytes")),
  "send an object": (res) => res.send({ a: 1 }),
  "send undefined": (res) => res.send(),
  "send null": (res) => res.send(null),
  "send a text with a type": (res) => res.type("text/plain").send("hello"),
  "send a text with a tag": (res) => res.set("ETag", '"own"').send("hello"),
  "send a text with a date": (res) => res.set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT").send("hello"),
  "send a text with cookies": (res) => res.cookie("a", "1").cookie("b", "2", { httpOnly: true }).send("hello"),
  "json": (res) => res.json({ a: "ü" }),
  "json of null": (res) => res.json(null),
  "json of undefined": (res) => res.json(undefined),
  "sendStatus": (res) => res.sendStatus(res.statusCode),
  "end": (res) => res.end(),
  "end with a text": (res) => res.end("hello"),
  "end with a length": (res) => res.set("Content-Length", "5").end("hello"),
  "write and end": (res) => {
    res.write("hel");
    res.end("lo");
  },
  "a stream": (res) => Readable.from([new TextEncoder().encode("hello")]).pipe(res),
  "a file": (res) => res.sendFile(process.env["FILE"]),
  "a redirect": (res) => res.redirect("/elsewhere"),
};

/** Ways that Express lacks: `Response`s returned by a handler. */
export const OWN_WAYS: Readonly<Record<string, (res: Any) => unknown>> = {
  "return a text": (res) => new Response("hello", { status: withBody(res.statusCode) }),
  "return JSON": (res) => Response.json({ a: 1 }, { status: withBody(res.statusCode) }),
  "return a stream": (res) =>
    new Response(new Blob(["hello"]).stream(), {
      status: withBody(res.statusCode),
      headers: { "Content-Type": "text/plain" },
    }),
  "return no body": (res) => new Response(null, { status: res.statusCode }),
};

// the platform's class rejects a body with other statuses
function withBody(status: number): number {
  return [204, 205, 304].includes(status) ? 200 : status;
}

/** Statuses with different rules for a response's content. */
export const STATUSES = [200, 201, 204, 205, 304, 404];

/** Builds the application: `/lane/way/status`, by index. */
export function build(app: Any, ways: Readonly<Record<string, (res: Any) => unknown>>): Any {
  app.set("env", "test");
  app.disable("x-powered-by");
  const lanes = Object.values(LANES);
  const all = Object.values(ways);
  app.all("/:lane/:way/:status", (req: Any, res: Any) => {
    const { lane, way, status } = req.params;
    const returned = all[way]!(lanes[lane]!(res).status(Number(status)));
    return returned instanceof Response ? returned : undefined;
  });
  return app;
}
