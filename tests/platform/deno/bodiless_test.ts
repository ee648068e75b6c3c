/** Requests without a body over HTTP/2 on Deno. Their headers look like those of requests with a body. */
import http2, { type ClientHttp2Session } from "node:http2";
import { assertEquals } from "@std/assert";
import sluice from "@sluice/sluice";

const app = sluice().set("env", "test");
app.use(sluice.json());
app.post("/is", (req, res) => void res.json([req.is("json"), req.body ?? "undefined"]));
app.post("/events", (req, res) => {
  let length = 0;
  req.on("data", (chunk: Uint8Array) => length += chunk.length).on("end", () => res.json(length));
});
app.post("/headers", (req, res) => void res.json(req.headers["transfer-encoding"] ?? "not announced"));

/** Sends a JSON request without a length; `undefined` means no body. */
async function post(session: ClientHttp2Session, path: string, body?: string, headers = {}): Promise<unknown> {
  const type = { "content-type": "application/json" };
  const stream = session.request({ ":method": "POST", ":path": path, ...type, ...headers }, {
    endStream: body === undefined,
  });
  if (body !== undefined) stream.end(body);
  let text = "";
  for await (const chunk of stream) text += chunk;
  return JSON.parse(text);
}

Deno.test("over HTTP/2, a request that ends with its headers has no body", async () => {
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const session = http2.connect(server.url);
  try {
    assertEquals(await post(session, "/is"), [null, "undefined"]);
    assertEquals(await post(session, "/is", undefined, { "content-encoding": "gzip" }), [null, "undefined"]);
    assertEquals(await post(session, "/events"), 0);
    assertEquals(await post(session, "/headers"), "not announced");
    assertEquals(await post(session, "/is", "[1]"), ["json", [1]]);
    assertEquals(await post(session, "/headers", "[1]"), "chunked");
  } finally {
    session.destroy();
    await app.close({ timeoutMs: 0 });
  }
});
