import asyncHandler from "express-async-handler";

export const title = "express-async-handler passes rejections to the error handlers";

export default function (app) {
  const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  app.use(asyncHandler(async (req, _res, next) => {
    await later(1);
    req.seen = true;
    next();
  }));
  app.get(
    "/",
    asyncHandler(async (req, res) => {
      await later(1);
      res.json({ seen: req.seen });
    }),
  );
  app.get(
    "/rejected",
    asyncHandler(async () => {
      await later(1);
      throw Object.assign(new Error("rejected"), { status: 418 });
    }),
  );
  app.get(
    "/thrown",
    asyncHandler(() => {
      throw new Error("thrown");
    }),
  );
  app.get("/mine", asyncHandler(async () => await Promise.reject(new Error("mine"))));
  app.use("/mine", (error, _req, res, _next) => res.status(400).json({ error: error.message }));
}

export const requests = [
  { path: "/", sees: { body: { seen: true } } },
  { path: "/rejected", sees: { status: 418 } },
  { path: "/thrown", sees: { status: 500 } },
  { path: "/mine", sees: { status: 400, body: { error: "mine" } } },
  { path: "/nowhere", sees: { status: 404 } },
];
