import helmet from "helmet";

export const title = "helmet puts its security headers on every answer";

export default function (app) {
  app.enable("x-powered-by");
  app.get("/own", helmet.frameguard({ action: "deny" }), (_req, res) => res.send("own"));
  app.use(helmet());
  app.get("/", (_req, res) => res.send("hello"));
  app.get("/json", (_req, res) => res.json({ hello: true }));
  app.get(
    "/nonce",
    (_req, res, next) => {
      res.locals.cspNonce = "abc123";
      next();
    },
    helmet({
      contentSecurityPolicy: {
        directives: { scriptSrc: ["'self'", (_req, res) => `'nonce-${res.locals.cspNonce}'`] },
      },
      strictTransportSecurity: { maxAge: 123456, includeSubDomains: false },
      xDownloadOptions: false,
    }),
    (_req, res) => res.send("nonce"),
  );
  app.get("/broken", () => {
    throw new Error("broken");
  });
}

export const requests = [
  {
    path: "/",
    sees: {
      body: "hello",
      headers: {
        "content-security-policy": /^default-src 'self';base-uri 'self';/,
        "strict-transport-security": "max-age=31536000; includeSubDomains",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-powered-by": null,
      },
    },
  },
  { path: "/json", sees: { body: { hello: true }, headers: { "x-dns-prefetch-control": "off" } } },
  { path: "/own", sees: { headers: { "x-frame-options": "DENY", "x-content-type-options": null } } },
  {
    path: "/nonce",
    sees: {
      headers: {
        "content-security-policy": /script-src 'self' 'nonce-abc123'/,
        "strict-transport-security": "max-age=123456",
      },
    },
  },
  { path: "/nowhere", sees: { status: 404, headers: { "content-security-policy": "default-src 'none'" } } },
  { path: "/broken", sees: { status: 500, headers: { "x-frame-options": "SAMEORIGIN" } } },
  { method: "HEAD", path: "/", sees: { body: "", headers: { "x-frame-options": "SAMEORIGIN" } } },
];
