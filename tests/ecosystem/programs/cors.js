import cors from "cors";

export const title = "cors answers preflights and allows the named origins";

export default function (app) {
  app.get("/open", cors(), (_req, res) => res.json({ msg: "for all origins" }));
  const some = {
    origin: ["http://example.com", /\.example\.org$/],
    credentials: true,
    maxAge: 600,
    exposedHeaders: ["X-Total", "X-Page"],
    methods: "GET,DELETE",
  };
  app.options("/some", cors(some));
  app.get("/some", cors(some), (_req, res) => res.json({ msg: "for some origins" }));
  app.delete("/some", cors(some), (_req, res) => res.sendStatus(204));
  const dynamic = {
    origin(origin, callback) {
      if (origin === "http://refused.test") callback(new Error("Not allowed by CORS"));
      else setTimeout(() => callback(null, origin === "http://allowed.test"), 1);
    },
    optionsSuccessStatus: 200,
  };
  app.use("/dynamic", cors(dynamic), (_req, res) => res.send("dynamic"));
  const delegate = (req, callback) => callback(null, { origin: req.header("Origin") === "http://a.test" });
  app.get("/delegate", cors(delegate), (_req, res) => res.send("delegate"));
  app.use(cors({ preflightContinue: true }));
  app.options("/continued", (_req, res) => res.send("continued"));
}

const from = (origin, more) => ({ Origin: origin, ...more });
const preflight = (origin) =>
  from(origin, { "Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "X-Token, X-Other" });

export const requests = [
  { path: "/open", sees: { headers: { "access-control-allow-origin": "*" }, body: { msg: "for all origins" } } },
  { path: "/open", headers: from("http://any.test") },
  {
    path: "/some",
    headers: from("http://example.com"),
    sees: {
      headers: {
        "access-control-allow-origin": "http://example.com",
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": "X-Total,X-Page",
        vary: "Origin",
      },
    },
  },
  { path: "/some", headers: from("http://www.example.org") },
  {
    path: "/some",
    headers: from("http://evil.test"),
    sees: { headers: { "access-control-allow-origin": null, vary: "Origin" } },
  },
  {
    method: "OPTIONS",
    path: "/some",
    headers: preflight("http://example.com"),
    sees: {
      status: 204,
      body: "",
      headers: {
        "access-control-allow-methods": "GET,DELETE",
        "access-control-allow-headers": "X-Token, X-Other",
        "access-control-max-age": "600",
        vary: "Origin, Access-Control-Request-Headers",
      },
    },
    differs: {
      parts: ["content-length"],
      why: "the `Content-Length: 0` it sets on a 204 is not sent, as RFC 9110 (section 8.6) demands",
    },
  },
  { method: "DELETE", path: "/some", headers: from("http://example.com"), sees: { status: 204 } },
  { path: "/dynamic", headers: from("http://allowed.test"), sees: { body: "dynamic" } },
  { path: "/dynamic", headers: from("http://other.test"), sees: { headers: { "access-control-allow-origin": null } } },
  { path: "/dynamic", headers: from("http://refused.test"), sees: { status: 500 } },
  { method: "OPTIONS", path: "/dynamic", headers: preflight("http://allowed.test"), sees: { status: 200, body: "" } },
  { path: "/delegate", headers: from("http://a.test"), sees: { headers: { vary: "Origin" } } },
  { path: "/delegate", headers: from("http://b.test") },
  { method: "OPTIONS", path: "/continued", headers: preflight("http://a.test"), sees: { body: "continued" } },
];
