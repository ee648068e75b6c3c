// Runs a bundled Lambda function in AWS's own runtime client, and prints its address. It serves the function as a
// function URL, and accepts raw events under the path AWS's emulator uses. This file implements Lambda's runtime API
// (docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html) instead of Lambda itself.
import { isUtf8 } from "node:buffer";
import { writeFileSync } from "node:fs";
import http from "node:http";
import Module from "node:module";
import { basename, dirname } from "node:path";
import { buffer } from "node:stream/consumers";

const NEXT = "/2018-06-01/runtime/invocation/";
const INVOKE = "/2015-03-31/functions/function/invocations";
const ERROR_TRAILER = "lambda-runtime-function-error-type";
// Lambda uses one process per concurrent invocation; here they share one process, and thus the program's state
const LOOPS = 24;

const events = [];
const idle = [];
const pending = new Map();
let count = 0;

function invoke(event) {
  return new Promise((resolve, reject) => {
    const id = `invocation-${++count}`;
    pending.set(id, { resolve, reject });
    events.push([id, event]);
    dispatch();
  });
}

function dispatch() {
  while (events.length > 0 && idle.length > 0) {
    const [id, event] = events.shift();
    const headers = { "lambda-runtime-aws-request-id": id, "lambda-runtime-deadline-ms": Date.now() + 30_000 };
    idle.shift().writeHead(200, headers).end(event);
  }
}

const runtimeApi = http.createServer(async (req, res) => {
  // the function could not be loaded
  if (!req.url.startsWith(NEXT)) return process.exit(1);
  const [id, kind] = req.url.slice(NEXT.length).split("/");
  if (id === "next") {
    idle.push(res);
    return dispatch();
  }
  const { resolve, reject } = pending.get(id);
  if (kind === "error") reject(new Error(String(await buffer(req))));
  else resolve(req);
  req.once("close", () => res.writeHead(202).end());
});

const gateway = http.createServer(async (req, res) => {
  try {
    if (req.url === INVOKE) return await passOn(await invoke(await buffer(req)), res);
    const payload = await invoke(JSON.stringify(await functionUrlEvent(req)));
    await (payload.headers["lambda-runtime-function-response-mode"] === "streaming" ? stream : answer)(payload, res);
  } catch (error) {
    if (res.headersSent) res.destroy();
    else res.writeHead(502).end(error.message);
  }
});

async function functionUrlEvent(req) {
  const [rawPath, ...query] = req.url.split("?");
  const body = await buffer(req);
  const { cookie, "x-forwarded-for": forwardedFor, ...headers } = Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
  );
  const sourceIp = req.socket.remoteAddress;
  headers["x-forwarded-for"] = forwardedFor === undefined ? sourceIp : `${forwardedFor}, ${sourceIp}`;
  headers["x-forwarded-proto"] = "http";
  headers["x-forwarded-port"] = String(req.socket.localPort);
  const isText = /^(text\/|application\/(json|javascript|xml))/.test(headers["content-type"]) && isUtf8(body);
  const domainName = "abcdefg.lambda-url.us-east-1.on.aws";
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString: query.join("?"),
    ...(cookie === undefined ? {} : { cookies: cookie.split("; ") }),
    headers,
    requestContext: { domainName, stage: "$default", http: { method: req.method, path: rawPath, sourceIp } },
    ...(body.length > 0 ? { body: body.toString(isText ? "utf8" : "base64") } : {}),
    isBase64Encoded: !isText,
  };
}

async function answer(payload, res) {
  const { statusCode, headers, cookies, body, isBase64Encoded } = JSON.parse(await buffer(payload));
  res.statusCode = statusCode;
  for (const [name, value] of Object.entries({ ...headers, "set-cookie": cookies ?? [] })) res.setHeader(name, value);
  // Node writes the length, as the gateway does
  res.end(body, isBase64Encoded ? "base64" : "utf8");
}

// the head in JSON, eight zeros, the body
async function stream(payload, res) {
  let head = Buffer.alloc(0);
  for await (const piece of payload) {
    if (res.headersSent) {
      res.write(piece);
      continue;
    }
    head = Buffer.concat([head, piece]);
    const end = head.indexOf(Buffer.alloc(8));
    if (end === -1) continue;
    const { statusCode, headers, cookies } = JSON.parse(head.subarray(0, end));
    res.writeHead(statusCode, { ...headers, ...(cookies ? { "set-cookie": cookies } : {}) }).flushHeaders();
    if (end + 8 < head.length) res.write(head.subarray(end + 8));
  }
  end(payload, res);
}

async function passOn(payload, res) {
  for await (const piece of payload) res.write(piece);
  end(payload, res);
}

// the client reports in a trailer that the function failed while streaming
function end(payload, res) {
  if (payload.trailers[ERROR_TRAILER] !== undefined) throw new Error(payload.trailers[ERROR_TRAILER]);
  res.end();
}

const listening = (server) =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));
const apiPort = await listening(runtimeApi);

// otherwise, the client would send buffered responses through its own native module
const post = (id, kind, body) =>
  http.request(
    { port: apiPort, host: "127.0.0.1", method: "POST", path: `${NEXT}${id}/${kind}` },
    (res) => res.resume(),
  )
    .end(body);
const client = new URL("node_modules/aws-lambda-ric/dist/", import.meta.url);
writeFileSync(new URL("rapid-client.node", client), "");
Module._extensions[".node"] = (module) => {
  module.exports = {
    done: (id, body) => void post(id, "response", body),
    error: (id, body) => void post(id, "error", body),
  };
};

process.env.AWS_LAMBDA_RUNTIME_API = `127.0.0.1:${apiPort}`;
process.env.AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1 = "true";
process.setMaxListeners(0);
const { run } = await import(new URL("index.mjs", client).href);
const bundle = process.argv[2];
for (let loop = 0; loop < LOOPS; loop++) await run(dirname(bundle), `${basename(bundle, ".mjs")}.handler`);
// the client has replaced the console
process.stdout.write(`${await listening(gateway)}\n`);
