/**
 * The floor: a handler written by hand. `lean` sends the least, `same` the bytes Sluice sends by default.
 */
import { weakEntityTag } from "../../src/http/entity_tag.ts";

type Answer = (body: string) => Response;

const TEXT_INIT = { headers: { "content-type": "text/html; charset=utf-8" } };
const JSON_INIT = { headers: { "content-type": "application/json; charset=utf-8" } };

function tagged(init: ResponseInit): Answer {
  return (body) => {
    const response = new Response(body, init);
    response.headers.set("etag", weakEntityTag(body));
    return response;
  };
}

const PAGE = (path: string) =>
  '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n' +
  `<body>\n<pre>Cannot GET ${path}</pre>\n</body>\n</html>\n`;

function notFound(path: string): Response {
  return new Response(PAGE(path), {
    status: 404,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}

/** Makes the handler. */
export function rawHandler(same: boolean): (request: Request) => Response | Promise<Response> {
  const text: Answer = same ? tagged(TEXT_INIT) : (body) => new Response(body);
  const json: (value: unknown) => Response = same
    ? ((tag) => (value: unknown) => tag(JSON.stringify(value)))(tagged(JSON_INIT))
    : (value) => Response.json(value);
  const missing = same ? notFound : () => new Response("Not Found", { status: 404 });
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
