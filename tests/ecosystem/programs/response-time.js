import responseTime from "response-time";

export const title = "response-time reports how long an answer took";

export default function (app) {
  const seen = [];
  app.get("/seen", (_req, res) => res.json(seen));
  app.use(responseTime());
  app.use("/plain", responseTime({ digits: 0, header: "X-Took", suffix: false }));
  app.use(
    "/told",
    responseTime((req, res, time) => seen.push(`${req.method} ${req.url} ${typeof time} ${res.statusCode}`)),
  );
  app.get("/", (_req, res) => res.send("hello"));
  app.get("/plain", (_req, res) => setTimeout(() => res.json({ plain: true }), 1));
  app.get("/told", (_req, res) => res.status(201).end("told"));
  app.get("/streamed", (_req, res) => {
    res.write("one ");
    res.end("two");
  });
}

// times
export const masks = [/\d+\.\d{3}ms/g];

export const requests = [
  { path: "/", sees: { headers: { "x-response-time": /^\d+\.\d{3}ms$/ } } },
  { path: "/plain", ignore: ["x-took"], sees: { headers: { "x-took": /^\d+$/ } } },
  { path: "/told", sees: { status: 201 } },
  { path: "/streamed", sees: { headers: { "x-response-time": /ms$/ } } },
  { path: "/missing", sees: { status: 404, headers: { "x-response-time": /ms$/ } } },
  { path: "/seen", sees: { body: ["GET /told number 201"], headers: { "x-response-time": null } } },
];
