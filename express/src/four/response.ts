import { type CookieOptions, HttpError, type SendFileOptions } from "@sluice/sluice";
import { escapeHtml, runtimeKey, statusMessage } from "@sluice/sluice/profile";
import type { SendFileCallback } from "@sluice/sluice/types";
import { ExpressResponse } from "../shared/express_response.ts";

type Any = ExpressResponse["req"]["body"];

/** A response with the older signatures that Express 4's methods accept. */
export class Response extends ExpressResponse {
  /** Sets the status, which may also be a string or have a fraction. */
  override status(code: number | string): this {
    return super.status(Math.floor(Number(code)));
  }

  /** Sends a body: `send(body)`, `send(status)`, `send(status, body)` or `send(body, status)`. */
  override send(...args: Any[]): this {
    if (args.length === 2) return super.send(bodyOf(this, args[0], args[1]));
    const [body] = args;
    if (typeof body !== "number") return super.send(body);
    if (!this.get("Content-Type")) this.type("txt");
    this.statusCode = body;
    return super.send(statusMessage(body));
  }

  /** Sends JSON: `json(value)`, `json(status, value)` or `json(value, status)`. */
  override json(...args: Any[]): this {
    return super.json(args.length === 2 ? bodyOf(this, args[0], args[1], true) : args[0]);
  }

  /** Sends JSONP: `jsonp(value)`, `jsonp(status, value)` or `jsonp(value, status)`. */
  override jsonp(...args: Any[]): this {
    return super.jsonp(args.length === 2 ? bodyOf(this, args[0], args[1], true) : args[0]);
  }

  /** Sets the content type; scripts are `application/javascript`. */
  override type(type: string): this {
    super.type(type);
    if (!type.includes("/") && this.get("Content-Type")?.startsWith("text/javascript")) {
      this.set("Content-Type", "application/javascript");
    }
    return this;
  }

  /** Sets the content type; the same as `res.type`. */
  override contentType(type: string): this {
    return this.type(type);
  }

  /** Adds a field to `Vary`; does nothing without a field. */
  override vary(field?: string | readonly string[]): this {
    return field === undefined || field.length === 0 ? this : super.vary(field);
  }

  /** Sets `Location`; `"back"` is the referring page. */
  override location(url: string | URL): this {
    return super.location(url === "back" ? this.req.get("Referrer") || "/" : url);
  }

  /** Redirects: `redirect(url)`, `redirect(status, url)` or `redirect(url, status)`. */
  override redirect(first: Any, second?: Any): void {
    const [status, url] = second === undefined
      ? [302, first]
      : typeof first === "number"
      ? [first, second]
      : [second, first];
    const address = this.location(url).get("Location") as string;
    const text = `${statusMessage(status)}. Redirecting to `;
    let body = "";
    this.format({
      text: () => body = text + address,
      html: () => body = `<p>${text}${escapeHtml(address)}</p>`,
      default: () => body = "",
    });
    this.statusCode = status;
    this.set("Content-Length", String(new TextEncoder().encode(body).length));
    this.end(this.req.method === "HEAD" ? undefined : body);
  }

  /** Deletes a cookie; the options may override the expiry time. */
  override clearCookie(name: string, options?: CookieOptions | null): this {
    return this.cookie(name, "", { expires: new Date(1), path: "/", ...options });
  }

  /** Sets a download's file name, in quotes. */
  override attachment(filename?: string): this {
    super.attachment(filename);
    return this.set("Content-Disposition", quoted(this.get("Content-Disposition")!));
  }

  /** Sends a file. */
  override sendFile(path: string, options?: SendFileOptions | SendFileCallback, callback?: SendFileCallback): void {
    if (typeof options === "function") return super.sendFile(path, options);
    const disposition = options?.headers?.["Content-Disposition"];
    if (typeof disposition !== "string") return super.sendFile(path, options, callback);
    const headers = { ...options!.headers, "Content-Disposition": quoted(disposition) };
    return super.sendFile(path, { ...options, headers }, callback);
  }

  /** Sends a file whose path is URL-encoded, and relative to the working directory unless there is a root. */
  sendfile(path: string, options?: SendFileOptions | SendFileCallback | null, callback?: SendFileCallback): void {
    if (typeof options === "function") return this.sendfile(path, null, options);
    const climbs = !options?.root && /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path);
    const fail = callback ?? this.req.next;
    if (climbs) return void fail(new HttpError(403));
    const isRelative = options?.root === undefined && !/^(?:[/\\]|[a-z]:[/\\])/i.test(path);
    const root = isRelative ? this.app[runtimeKey].files?.workingDirectory() : options?.root;
    this.sendFile(decodeURIComponent(path), { ...options, root }, callback);
  }
}

// the first of two arguments is the status, unless only the second can be
function bodyOf(res: Response, first: Any, second: Any, prefersSecond = false): Any {
  const isLast = typeof second === "number" && (prefersSecond || typeof first !== "number");
  res.statusCode = isLast ? second : first;
  return isLast ? first : second;
}

// Express 5's library omits optional quotes where there is no fallback name
function quoted(disposition: string): string {
  return disposition.replace(/; filename=([^";]+)/, '; filename="$1"');
}
