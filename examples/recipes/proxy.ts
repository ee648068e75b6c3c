/** A reverse proxy with `fetch`: both bodies are streamed, and a client disconnect aborts the upstream request. */
import sluice, { type FrameworkApp, type Handler, HttpError } from "@sluice/sluice";
import { timeout } from "@sluice/middleware/timeout";

/** Hop-by-hop headers (RFC 9110 section 7.6.1), and those meant for this server alone. */
const HOP_BY_HOP = ["connection", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer"];
HOP_BY_HOP.push("transfer-encoding", "upgrade", "expect", "host");

/** Forwards requests to another server: `http://127.0.0.1:9000`, without a trailing slash. */
export function proxy(origin: string): Handler {
  return async (req) => {
    // resolving it would let `//elsewhere/` choose the host
    if (!req.url.startsWith("/")) throw new HttpError(400);
    // on Node, the web request's headers lack this one
    const headers = endToEnd(req.request.headers, req.get("connection"));
    // otherwise fetch would decode the body, and its length and coding would be wrong
    headers.set("accept-encoding", "identity");
    // only this proxy knows these; the client may have forged them
    for (const name of ["forwarded", "x-real-ip", "x-forwarded-port"]) headers.delete(name);
    // without `trust proxy`, earlier addresses are dropped, because the client may have forged them
    headers.set("x-forwarded-for", [...req.ips, req.socket.remoteAddress].filter(Boolean).join(", "));
    headers.set("x-forwarded-host", req.host);
    headers.set("x-forwarded-proto", req.protocol);
    const { body } = req.request;
    let response: Response;
    try {
      response = await fetch(origin + req.url, {
        method: req.method,
        headers,
        body,
        signal: req.signal,
        redirect: "manual",
        ...body && { duplex: "half" },
      });
    } catch (error) {
      // the client disconnected, or a timeout has passed
      if (req.signal.aborted) throw req.signal.reason;
      throw new HttpError(502, "The server behind the proxy cannot be reached", { cause: error });
    }
    const { status, statusText } = response;
    const received = endToEnd(response.headers, response.headers.get("connection"));
    // clients cannot reach the upstream server at that address
    const location = received.get("location");
    if (location?.startsWith(`${origin}/`)) received.set("location", req.baseUrl + location.slice(origin.length));
    return new Response(response.body, { status, statusText, headers: received });
  };
}

function endToEnd(received: Headers, connection: string | null | undefined): Headers {
  const headers = new Headers(received);
  const named = connection?.split(",").map((name) => name.trim()) ?? [];
  for (const name of [...HOP_BY_HOP, ...named]) if (/^[\w-]+$/.test(name)) headers.delete(name);
  return headers;
}

export function makeApp(origin: string): FrameworkApp {
  const app = sluice();
  app.use("/api", timeout(10_000), proxy(origin));
  return app;
}

if (import.meta.main) makeApp("http://127.0.0.1:9000").listen(3000);
