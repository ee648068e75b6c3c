import {
  body,
  checkSchema,
  cookie,
  header,
  matchedData,
  oneOf,
  param,
  query,
  validationResult,
} from "express-validator";

export const title = "express-validator checks and sanitizes the input";

export default function (app, lib) {
  app.use(lib.json());
  const answer = (req, res) => {
    const result = validationResult(req);
    if (result.isEmpty()) return res.json(matchedData(req));
    res.status(400).json({ errors: result.array() });
  };
  app.get("/hello", query("person").notEmpty().escape(), answer);
  app.post(
    "/user",
    body("email").isEmail().normalizeEmail(),
    body("password").isLength({ min: 5 }).withMessage("too short"),
    body("age").optional().isInt({ min: 18 }).toInt(),
    body("tags.*").trim().isAlpha(),
    body("name.first").default("nobody").isString(),
    answer,
  );
  app.get(
    "/items/:id",
    param("id").isUUID().bail().custom((id) => id.startsWith("0") || Promise.reject(new Error("taken"))),
    answer,
  );
  app.get("/from", oneOf([header("x-token").equals("secret"), cookie("token").exists()]), answer);
  app.post(
    "/schema",
    checkSchema({
      title: { in: ["body"], isLength: { options: { max: 5 }, errorMessage: "long" }, toUpperCase: true },
      page: { in: ["query"], toInt: true, isInt: true },
    }),
    answer,
  );
  app.post("/imperative", async (req, res) => {
    const result = await body("email").isEmail().run(req);
    res.json({ ok: result.isEmpty() });
  });
}

const post = (path, value, sees) => ({
  method: "POST",
  path,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
  sees,
});

export const requests = [
  { path: "/hello?person=%3Cb%3EAda", sees: { body: { person: "&lt;b&gt;Ada" } } },
  {
    path: "/hello",
    sees: {
      status: 400,
      body: { errors: [{ type: "field", msg: "Invalid value", path: "person", location: "query" }] },
    },
  },
  { path: "/hello?person=a&person=b" },
  post("/user", { email: "Ada.Lovelace@GMail.com", password: "123456", age: "20", tags: [" a ", "b"] }, {
    body: { email: "adalovelace@gmail.com", password: "123456", age: 20, tags: ["a", "b"], name: { first: "nobody" } },
  }),
  post("/user", { email: "no", password: "1", age: "x", tags: ["1"] }, { status: 400, body: /too short/ }),
  post("/user", {}, { status: 400 }),
  {
    path: "/items/0b1a2c3d-1111-4222-8333-444455556666",
    sees: { body: { id: "0b1a2c3d-1111-4222-8333-444455556666" } },
  },
  { path: "/items/1b1a2c3d-1111-4222-8333-444455556666", sees: { status: 400, body: /taken/ } },
  { path: "/items/7", sees: { status: 400 } },
  { path: "/from", headers: { "X-Token": "secret" }, sees: { status: 200 } },
  { path: "/from", sees: { status: 400, body: /alternative/ } },
  post("/schema?page=2", { title: "short" }, { body: { title: "SHORT", page: 2 } }),
  post("/schema?page=x", { title: "too long" }, { status: 400 }),
  post("/imperative", { email: "a@b.cd" }, { body: { ok: true } }),
];
