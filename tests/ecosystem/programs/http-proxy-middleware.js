import { createProxyMiddleware, fixRequestBody, responseInterceptor } from "http-proxy-middleware";

export const title = "http-proxy-middleware forwards requests and their answers";

export default function (app, lib, tools) {
  const { upstream: target } = tools;
  app.use("/api", createProxyMiddleware({ target, changeOrigin: true }));
  app.use(
    "/rewritten",
    createProxyMiddleware({
      target,
      changeOrigin: true,
      pathRewrite: { "^/old": "/new" },
      headers: { "x-added": "yes" },
      xfwd: true,
    }),
  );
  app.use(
    "/parsed",
    lib.json(),
    createProxyMiddleware({ target, changeOrigin: true, on: { proxyReq: fixRequestBody } }),
  );
  app.use(
    "/changed",
    createProxyMiddleware({
      target,
      changeOrigin: true,
      selfHandleResponse: true,
      on: {
        proxyRes: responseInterceptor((buffer, proxyRes, _req, res) => {
          res.setHeader("x-intercepted", String(proxyRes.statusCode));
          return buffer.toString("utf8").toUpperCase();
        }),
      },
    }),
  );
  app.use(
    "/cookies",
    createProxyMiddleware({ target: `${target}/cookies`, cookieDomainRewrite: "here.test", ignorePath: true }),
  );
  app.use("/redirects", createProxyMiddleware({ target, changeOrigin: true, autoRewrite: true }));
  app.use("/down", createProxyMiddleware({ target: tools.nobody }));
  app.use(
    "/handled",
    createProxyMiddleware({
      target: tools.nobody,
      on: { error: (_error, _req, res) => res.writeHead(502, { "Content-Type": "text/plain" }).end("nobody there") },
    }),
  );
  app.use(createProxyMiddleware({ target, changeOrigin: true, pathFilter: ["/filtered/**", "!/filtered/not"] }));
  app.get("/filtered/not", (_req, res) => res.send("here"));
}

// ports
export const masks = [/127\.0\.0\.1:\d+/g];

const json = { "Content-Type": "application/json" };

const announced = {
  parts: ["content-length"],
  on: ["Deno", "Node"],
  why: "an answer ended in one piece has a `Content-Length` after `writeHead()` too, where Express sends chunks",
};

export const requests = [
  {
    path: "/api/things?x=1",
    headers: { Accept: "text/x" },
    sees: { body: /"url":"\/things\?x=1"/, headers: { "x-upstream": "yes" } },
  },
  { method: "POST", path: "/api/things", headers: json, body: '{"a":1}', sees: { body: /"body":"\{\\"a\\":1\}"/ } },
  {
    method: "PUT",
    path: "/api/upload",
    headers: { "Content-Type": "text/plain" },
    body: "y".repeat(100_000),
    sees: { body: /"content-length":"100000"/ },
  },
  { path: "/api/big", sees: { body: "0123456789".repeat(20_000) } },
  { path: "/api/teapot", sees: { status: 418, body: "short and stout" } },
  { method: "DELETE", path: "/api/things/7", sees: { body: /"method":"DELETE"/ } },
  { method: "HEAD", path: "/api/big", sees: { body: "" } },
  { path: "/rewritten/old/thing", sees: { body: /"url":"\/new\/thing".*"x-added":"yes"/ } },
  {
    method: "POST",
    path: "/parsed/things",
    headers: json,
    body: '{ "b": 2 }',
    sees: { body: /"body":"\{\\"b\\":2\}"/ },
  },
  { path: "/changed/abc", sees: { body: /"URL":"\/ABC"/, headers: { "x-intercepted": "200" } } },
  { path: "/cookies", sees: { headers: { "set-cookie": "b=2; Domain=here.test" } } },
  { path: "/redirects/moved", sees: { status: 302 } },
  { path: "/down/x", differs: announced, sees: { status: 504, body: /Error occurred while trying to proxy/ } },
  { path: "/handled/x", differs: announced, sees: { status: 502, body: "nobody there" } },
  { path: "/filtered/yes", sees: { body: /"url":"\/filtered\/yes"/ } },
  { path: "/filtered/not", sees: { body: "here" } },
];
