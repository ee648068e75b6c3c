// A function URL in front of Lambda's Node runtime: turns requests into events like the recorded one, invokes the
// handler with a response stream, and reads status and headers from its output. Prints its address.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { PassThrough } from "node:stream";

const [bundle, recorded] = process.argv.slice(2);
const template = JSON.parse(readFileSync(recorded, "utf8"));
// separates a streamed response's head and body
const DELIMITER = Buffer.alloc(8);

globalThis.awslambda = {
  streamifyResponse: (handler) => handler,
  HttpResponseStream: {
    from(stream, head) {
      stream.write(JSON.stringify(head));
      stream.write(DELIMITER);
      return stream;
    },
  },
};
const { handler } = await import(bundle);

function eventOf(req, body) {
  const { pathname, search } = new URL(req.url, "http://localhost");
  const { "x-forwarded-for": sourceIp = "198.51.100.7", ...headers } = req.headers;
  const http = { ...template.requestContext.http, method: req.method, path: pathname, sourceIp };
  return {
    ...template,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: { ...template.headers, ...headers, "x-forwarded-for": sourceIp },
    requestContext: { ...template.requestContext, http },
    ...(body.length > 0 ? { body: body.toString("base64"), isBase64Encoded: true } : {}),
  };
}

async function invoke(event) {
  const stream = new PassThrough();
  const pieces = [];
  stream.on("data", (piece) => pieces.push(piece));
  const ended = new Promise((resolve) => stream.once("end", resolve));
  const context = { awsRequestId: crypto.randomUUID(), getRemainingTimeInMillis: () => 10_000 };
  await handler(event, stream, context);
  await ended;
  const all = Buffer.concat(pieces);
  const end = all.indexOf(DELIMITER);
  return { head: JSON.parse(all.subarray(0, end).toString()), body: all.subarray(end + DELIMITER.length) };
}

const server = createServer(async (req, res) => {
  const { head, body } = await invoke(eventOf(req, Buffer.concat(await req.toArray())));
  res.writeHead(head.statusCode, { ...head.headers, ...(head.cookies ? { "set-cookie": head.cookies } : {}) });
  res.end(body);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
