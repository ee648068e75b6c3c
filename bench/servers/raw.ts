/** The floor: handwritten handlers that use whatever is cheapest on Deno. */
import { weakEntityTag } from "../../src/http/entity_tag.ts";

type Answer = (body: string) => Response;

/** Which bytes a handler sends: the fewest, those of Sluice lean, or those of Sluice with default settings. */
export type Bytes = "fewest" | "lean" | "same";

/** Type of texts and pages. */
export const HTML = "text/html; charset=utf-8";
const TEXT_INIT = { headers: { "content-type": HTML } };
const JSON_INIT = { headers: { "content-type": "application/json; charset=utf-8" } };

function tagged(init: ResponseInit): Answer {
  return (body) => {
    const response = new Response(body, init);
    response.headers.set("etag", weakEntityTag(body));
    return response;
  };
}

/** The body of a 404. */
export const PAGE = (path: string) =>
  '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n' +
  `<body>\n<pre>Cannot GET ${path}</pre>\n</body>\n</html>\n`;

/** Status and headers of a 404. */
export const NOT_FOUND: ResponseInit = {
  status: 404,
  headers: new Headers({
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "content-type": HTML,
  }),
};

function html(body: string): Response {
  const response = new Response(body);
  response.headers.set("content-type", HTML);
  return response;
}

const TEXT: Record<Bytes, Answer> = {
  fewest: (body) => new Response(body),
  lean: html,
  same: tagged(TEXT_INIT),
};

/** Makes the handler. */
export function rawHandler(bytes: Bytes): (request: Request) => Response | Promise<Response> {
  const text = TEXT[bytes];
  const json: (value: unknown) => Response = bytes === "same"
    ? ((tag) => (value: unknown) => tag(JSON.stringify(value)))(tagged(JSON_INIT))
    : (value) => Response.json(value);
  const missing = bytes === "fewest"
    ? () => new Response("Not Found", { status: 404 })
    : (path: string) => new Response(PAGE(path), NOT_FOUND);
  return (request) => {
    const { url } = request;
    const path = url.slice(url.indexOf("/", 8));
    switch (path) {
      case "/text":
        return text("Hello, World!");
      case "/json":
        return json({ hello: "world" });
      case "/mw5":
      case "/mw10":
        return text("done");
      case "/echo":
        return request.json().then(json);
    }
    if (path.startsWith("/user/")) return json({ id: path.slice(6) });
    const parts = path.split("/");
    if (parts[1] === "a") return json({ a: parts[2], b: parts[4], c: parts[6] });
    if (parts[1] === "r" && parts[2] === "99") return json({ id: parts[3] });
    return missing(path);
  };
}
