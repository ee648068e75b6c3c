import methodOverride from "method-override";

export const title = "method-override turns a POST into the method it names";

export default function (app, lib) {
  app.use(methodOverride());
  app.use(methodOverride("X-Method"));
  app.use(methodOverride("_method", { methods: ["POST", "GET"] }));
  app.use(lib.urlencoded());
  app.use(methodOverride((req) => {
    if (req.body && typeof req.body === "object" && "_method" in req.body) {
      const method = req.body._method;
      delete req.body._method;
      return method;
    }
  }));
  for (const method of ["get", "post", "put", "delete", "patch"]) {
    app[method](
      "/thing",
      (req, res) => res.json({ handler: method, method: req.method, was: req.originalMethod, body: req.body }),
    );
  }
}

const form = { "Content-Type": "application/x-www-form-urlencoded" };

export const requests = [
  {
    method: "POST",
    path: "/thing",
    headers: { "X-HTTP-Method-Override": "DELETE" },
    sees: { body: /"handler":"delete"/, headers: { vary: /X-HTTP-Method-Override/ } },
  },
  {
    method: "POST",
    path: "/thing",
    headers: { "X-Method": "put" },
    sees: { body: { handler: "put", method: "PUT", was: "POST" } },
  },
  { method: "POST", path: "/thing?_method=PATCH", sees: { body: { handler: "patch", method: "PATCH", was: "POST" } } },
  { method: "GET", path: "/thing?_method=DELETE", sees: { body: /"handler":"delete"/ } },
  {
    method: "POST",
    path: "/thing",
    headers: form,
    body: "_method=PUT&a=1",
    sees: { body: { handler: "put", method: "PUT", was: "POST", body: { a: "1" } } },
  },
  {
    method: "POST",
    path: "/thing",
    headers: { "X-HTTP-Method-Override": "NONSENSE" },
    sees: { body: /"handler":"post"/ },
  },
  { method: "GET", path: "/thing", headers: { "X-HTTP-Method-Override": "DELETE" }, sees: { body: /"handler":"get"/ } },
  {
    method: "POST",
    path: "/nowhere",
    headers: { "X-HTTP-Method-Override": "DELETE" },
    sees: { status: 404, body: /Cannot DELETE/ },
  },
];
