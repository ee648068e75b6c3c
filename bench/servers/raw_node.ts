import type { IncomingMessage, ServerResponse } from "node:http";

/** The floor under Node: a handwritten `node:http` listener, which sends the fewest bytes. */
export function nodeHandler(req: IncomingMessage, res: ServerResponse): void {
  const path = req.url!;
  switch (path) {
    case "/text":
      return send(res, "text/plain", "Hello, World!");
    case "/json":
      return json(res, { hello: "world" });
    case "/mw5":
    case "/mw10":
      return send(res, "text/plain", "done");
    case "/echo":
      return echo(req, res);
  }
  if (path.startsWith("/user/")) return json(res, { id: path.slice(6) });
  const parts = path.split("/");
  if (parts[1] === "a") return json(res, { a: parts[2], b: parts[4], c: parts[6] });
  if (parts[1] === "r" && parts[2] === "99") return json(res, { id: parts[3] });
  res.statusCode = 404;
  send(res, "text/plain", "Not Found");
}

function echo(req: IncomingMessage, res: ServerResponse): void {
  let text = "";
  req.setEncoding("utf8");
  req.on("data", (chunk: string) => text += chunk);
  req.on("end", () => json(res, JSON.parse(text)));
}

function json(res: ServerResponse, value: unknown): void {
  send(res, "application/json", JSON.stringify(value));
}

function send(res: ServerResponse, type: string, body: string): void {
  res.setHeader("Content-Type", type);
  res.setHeader("Content-Length", Buffer.byteLength(body));
  res.end(body);
}
