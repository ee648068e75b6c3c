/** A collector on this machine for agents that report their observations: it keeps everything they send. */

/** One request from an agent. */
export interface Sent {
  readonly path: string;
  /** The decompressed body, by line. */
  readonly lines: readonly string[];
}

export interface Collector extends AsyncDisposable {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** Everything received so far. */
  readonly sent: readonly Sent[];
}

export function collect(): Collector {
  const sent: Sent[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const isZipped = request.headers.get("content-encoding") === "gzip";
    const body = isZipped ? request.body!.pipeThrough(new DecompressionStream("gzip")) : request.body;
    const lines = (await new Response(body).text()).split("\n").filter((line) => line !== "");
    sent.push({ path: pathname, lines });
    // Elastic requests the server's version before it reports
    return pathname === "/" ? Response.json({ version: "8.15.0" }) : Response.json({}, { status: 202 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    sent,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
