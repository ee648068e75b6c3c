/** A collector on this machine, for agents that send what they have seen: it keeps all they send. */

/** What an agent has sent in one request. */
export interface Sent {
  /** The path. */
  readonly path: string;
  /** The body, decompressed, by lines. */
  readonly lines: readonly string[];
}

/** The collector. */
export interface Collector extends AsyncDisposable {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** What has been sent so far. */
  readonly sent: readonly Sent[];
}

/** Starts a collector. */
export function collect(): Collector {
  const sent: Sent[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const isZipped = request.headers.get("content-encoding") === "gzip";
    const body = isZipped ? request.body!.pipeThrough(new DecompressionStream("gzip")) : request.body;
    const lines = (await new Response(body).text()).split("\n").filter((line) => line !== "");
    sent.push({ path: pathname, lines });
    // Elastic asks for the version of the server before it sends
    return pathname === "/" ? Response.json({ version: "8.15.0" }) : Response.json({}, { status: 202 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    sent,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
