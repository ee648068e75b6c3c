import type { Server } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { Duplex } from "node:stream";
import type { ErrorReporter } from "../exchange/call_guarded.ts";

/** Statuses by Node's parser code, as Node responds without listeners; 400 for other codes. */
const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Errors caused by a client: unparsable requests, requests that time out, and failed TLS handshakes. */
const CAUSED = /^(?:HPE_|ERR_HTTP_REQUEST_TIMEOUT$|ERR_SSL_|ERR_TLS_)/;

/** A socket with the response that Node is writing to it. */
type RespondingSocket = Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/**
 * Reports client errors before there is a request, and responds as Node does when there are no `clientError` listeners.
 *
 * @param server The server
 * @param app Reports the errors
 */
export function reportClientErrors(server: Server | Http2SecureServer, app: ErrorReporter): void {
  const report = (error: unknown): void => app.reportError(error, { phase: "connection" });
  server.on("clientError", (error: Error & { code?: string }, socket: RespondingSocket) => {
    const { code = "" } = error;
    // other codes are disconnects, or our own reasons for breaking off a response
    if (CAUSED.test(code)) report(error);
    if (server.listenerCount("clientError") > 1) return;
    const isHttp = /^(?:HPE_|ERR_HTTP_)/.test(code);
    if (isHttp && socket.writable && !socket._httpMessage?.headersSent) {
      socket.write(`HTTP/1.1 ${STATUSES[code] ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`);
    }
    socket.destroy(error);
  });
  // only an HTTP/2 server has sessions
  (server as Server).on("sessionError", report);
}
