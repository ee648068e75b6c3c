import { rateLimit } from "express-rate-limit";

export const title = "express-rate-limit counts, announces and refuses";

export default function (app) {
  const minute = 60_000;
  app.use("/draft-8", rateLimit({ windowMs: minute, limit: 2, standardHeaders: "draft-8", legacyHeaders: false }));
  app.use("/draft-7", rateLimit({ windowMs: minute, limit: 2, standardHeaders: "draft-7", legacyHeaders: false }));
  app.use(
    "/draft-6",
    rateLimit({ windowMs: minute, limit: 1, standardHeaders: "draft-6", message: { error: "slow down" } }),
  );
  app.use("/legacy", rateLimit({ windowMs: minute, limit: 1, statusCode: 420, message: "enhance your calm" }));
  app.use(
    "/own",
    rateLimit({
      windowMs: minute,
      limit: (req) => req.get("x-premium") ? 2 : 1,
      keyGenerator: (req) => req.get("x-key") ?? "none",
      skip: (req) => req.path === "/free",
      skipFailedRequests: true,
      handler: (req, res, _next, options) =>
        res.status(options.statusCode).send(`${req.rateLimit.used} of ${req.rateLimit.limit}`),
    }),
  );
  app.use("/own/fail", (_req, res) => res.status(400).send("failed"));
  app.use((req, res) => res.json({ path: req.path, limited: req.rateLimit !== undefined }));
}

// the window began with the first request
const times = ["ratelimit-reset", "x-ratelimit-reset"];
const twice = (request) => [{ ...request }, { ...request }];

export const masks = [/(?<=\breset=|\bt=)\d+/g];

export const requests = [
  { path: "/draft-8", sees: { headers: { ratelimit: /; r=1; t=\d+$/, "ratelimit-policy": /; q=2; w=60/ } } },
  ...twice({ path: "/draft-8" }),
  {
    path: "/draft-8",
    sees: { status: 429, body: "Too many requests, please try again later.", headers: { "retry-after": /^\d+$/ } },
  },
  ...twice({ path: "/draft-7", sees: { headers: { ratelimit: /^limit=2, remaining=\d, reset=\d+$/ } } }),
  { path: "/draft-7", sees: { status: 429 } },
  ...twice({ path: "/draft-6", ignore: times }),
  { path: "/draft-6", ignore: times, sees: { status: 429, body: { error: "slow down" } } },
  { path: "/legacy", ignore: times, sees: { headers: { "x-ratelimit-remaining": "0", "ratelimit-policy": null } } },
  { path: "/legacy", ignore: times, sees: { status: 420, body: "enhance your calm" } },
  { path: "/own/free", ignore: times, sees: { body: { path: "/own/free", limited: false } } },
  ...twice({ path: "/own/fail", headers: { "X-Key": "f" }, ignore: times, sees: { status: 400 } }),
  { path: "/own", headers: { "X-Key": "a" }, ignore: times, sees: { body: { path: "/own", limited: true } } },
  { path: "/own", headers: { "X-Key": "a" }, ignore: times, sees: { status: 429, body: "2 of 1" } },
  { path: "/own", headers: { "X-Key": "b", "X-Premium": "1" }, ignore: times },
  { path: "/own", headers: { "X-Key": "b", "X-Premium": "1" }, ignore: times, sees: { status: 200 } },
];
