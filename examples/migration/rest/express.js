// An API for tasks: nested routers, validation, paging, conditional requests and one error format.
import express from "express";
import { body, matchedData, param, query, validationResult } from "express-validator";
import process from "node:process";

const app = express();
app.set("json spaces", 1);
app.set("case sensitive routing", true);

let lastId = 3;
const tasks = new Map([
  [1, { id: 1, title: "Write", done: true, tags: ["text"] }],
  [2, { id: 2, title: "Read", done: false, tags: [] }],
  [3, { id: 3, title: "Répondre", done: false, tags: ["text", "mail"] }],
]);

class ApiError extends Error {
  constructor(status, message, details) {
    super(message);
    Object.assign(this, { status, details });
  }
}

/** Runs validations, then the handler with the validated values. */
function checked(...validations) {
  return [...validations, (req, _res, next) => {
    const result = validationResult(req);
    if (!result.isEmpty()) {
      return next(new ApiError(422, "Invalid", result.array().map(({ path, msg }) => ({ path, msg }))));
    }
    req.valid = matchedData(req);
    next();
  }];
}

const taskId = param("id").isInt({ min: 1 }).withMessage("must be a number").toInt();
const fields = [
  body("title").isString().trim().isLength({ min: 1, max: 20 }).withMessage("must have 1 to 20 characters"),
  body("done").default(false).isBoolean({ strict: true }),
  body("tags").default([]).isArray({ max: 3 }),
  body("tags.*").isString(),
];

const api = express.Router();
api.use(express.json({ limit: "1kb" }));

api.param("id", (req, _res, next, id) => {
  req.task = tasks.get(Number(id));
  next();
});

api.route("/tasks")
  .get(
    checked(query("page").default(1).isInt({ min: 1 }).toInt(), query("done").optional().isBoolean().toBoolean()),
    (req, res) => {
      const { page, done } = req.valid;
      const found = [...tasks.values()].filter((task) => done === undefined || task.done === done);
      res.links({ first: `${req.baseUrl}/tasks?page=1`, next: `${req.baseUrl}/tasks?page=${page + 1}` });
      res.set("X-Total", String(found.length)).json(found.slice((page - 1) * 2, page * 2));
    },
  )
  .post(checked(...fields), (req, res) => {
    const task = { id: ++lastId, ...req.valid };
    tasks.set(task.id, task);
    res.status(201).location(`${req.baseUrl}/tasks/${task.id}`).json(task);
  });

api.route("/tasks/:id")
  .all(
    checked(taskId),
    (req, _res, next) => req.task ? next() : next(new ApiError(404, `There is no task ${req.valid.id}`)),
  )
  .get((req, res) => res.json(req.task))
  .put(checked(...fields), (req, res) => {
    Object.assign(req.task, req.valid, { id: req.task.id });
    res.json(req.task);
  })
  .delete((req, res) => {
    tasks.delete(req.task.id);
    res.status(204).end();
  });

const tags = express.Router({ mergeParams: true });
tags.get("/", (req, res) => res.json({ task: req.params.id, tags: req.task.tags }));
tags.get("/:tag", (req, res, next) => req.task.tags.includes(req.params.tag) ? res.sendStatus(200) : next("router"));
api.use("/tasks/:id/tags", tags);

app.use("/v1", api);
app.get("/crash", async () => {
  await Promise.resolve();
  throw new Error("not for clients");
});

app.use((req, _res, next) => next(new ApiError(404, `Cannot ${req.method} ${req.path}`)));

app.use((err, _req, res, _next) => {
  const { status = 500, details } = err;
  if (status === 405) res.set("Allow", "GET");
  res.status(status).json({ error: status === 500 ? "Internal error" : err.message, type: err.type, details });
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`Listening on port ${server.address().port}`);
});
