import compression from "compression";
import { Readable } from "node:stream";

export const title = "compression compresses large enough answers, in the coding the client prefers";

const long = "lorem ipsum dolor sit amet ".repeat(200);

export default function (app, _lib, tools) {
  app.use(compression({ filter: (req, res) => !req.headers["x-no-compression"] && compression.filter(req, res) }));
  app.get("/long", (_req, res) => res.send(long));
  app.get("/json", (_req, res) => res.json({ long }));
  app.get("/short", (_req, res) => res.send("short"));
  app.get("/image", (_req, res) => res.type("png").send(Buffer.from(long)));
  app.get("/piped", (_req, res) => Readable.from([long, long].map(Buffer.from)).pipe(res.type("txt")));
  app.get("/file", (_req, res) => res.sendFile(`${tools.files}/public/long.txt`));
  app.get("/untouched", (_req, res) => res.set("Cache-Control", "no-transform").send(long));
  app.get("/encoded", (_req, res) => res.set("Content-Encoding", "identity").send(long));
  app.get("/empty", (_req, res) => res.status(204).end());
  app.get("/events", (_req, res) => {
    res.setHeader("Content-Type", "text/event-stream");
    res.setHeader("Cache-Control", "no-cache");
    res.write("data: ping\n\n");
    res.flush();
    setTimeout(() => {
      res.write("data: pong\n\n");
      res.flush();
      res.end();
    }, 2);
  });
  app.get("/written", (_req, res) => {
    res.writeHead(200, { "Content-Type": "text/plain" });
    for (let part = 0; part < 50; part++) res.write(long);
    res.end("the end");
  });
  app.get("/later", compression({ threshold: 0 }), (_req, res) => setTimeout(() => res.send("tiny"), 1));
}

const gzip = { "Accept-Encoding": "gzip" };

export const requests = [
  {
    path: "/long",
    headers: gzip,
    sees: { body: long, headers: { "content-encoding": "gzip", vary: "Accept-Encoding", "content-length": null } },
  },
  { path: "/long", headers: { "Accept-Encoding": "br, gzip" }, sees: { headers: { "content-encoding": "br" } } },
  { path: "/long", headers: { "Accept-Encoding": "deflate" }, sees: { headers: { "content-encoding": "deflate" } } },
  { path: "/long", sees: { body: long, headers: { "content-encoding": null } } },
  { path: "/long", headers: { ...gzip, "X-No-Compression": "1" }, sees: { headers: { "content-encoding": null } } },
  { path: "/long", headers: { "Accept-Encoding": "gzip;q=0" }, sees: { headers: { "content-encoding": null } } },
  { method: "HEAD", path: "/long", headers: gzip, sees: { body: "" } },
  (answers) => ({
    path: "/long",
    headers: { ...gzip, "If-None-Match": answers[0].headers.etag },
    sees: { status: 304, body: "" },
  }),
  { path: "/json", headers: gzip, sees: { body: { long } } },
  { path: "/short", headers: gzip, sees: { body: "short", headers: { "content-encoding": null } } },
  { path: "/image", headers: gzip, sees: { headers: { "content-encoding": null } } },
  { path: "/piped", headers: gzip, sees: { body: long + long, headers: { "content-encoding": "gzip" } } },
  { path: "/file", headers: gzip, sees: { headers: { "content-encoding": "gzip" } } },
  { path: "/untouched", headers: gzip, sees: { headers: { "content-encoding": null } } },
  { path: "/encoded", headers: gzip },
  { path: "/empty", headers: gzip, sees: { status: 204 } },
  { path: "/events", headers: gzip, sees: { body: "data: ping\n\ndata: pong\n\n" } },
  { path: "/written", headers: gzip, sees: { body: long.repeat(50) + "the end" } },
  { path: "/later", headers: gzip },
  { path: "/missing", headers: gzip, sees: { status: 404 } },
];
