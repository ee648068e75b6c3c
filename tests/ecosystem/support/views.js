/** The program for a view engine found by name; `page` in the views folder has its extension. */
export function showViews(app, tools, engine) {
  app.set("views", `${tools.files}/views`);
  app.set("view engine", engine);
  app.locals.title = "of the app";
  app.get("/", (_req, res) => res.render("page", { title: "people", names: ["Ada", "<Bob>"] }));
  app.get("/locals", (_req, res) => {
    res.locals.names = ["local"];
    res.render("page");
  });
  app.get("/named", (_req, res) => res.render(`page.${engine}`, { title: "named", names: [] }));
  app.get(
    "/called",
    (_req, res, next) =>
      res.render(
        "page",
        { names: ["x"] },
        (error, html) => error ? next(error) : res.type("txt").send(html.toUpperCase()),
      ),
  );
  app.get(
    "/app",
    (_req, res, next) => app.render("page", { names: ["y"] }, (error, html) => error ? next(error) : res.send(html)),
  );
  app.get("/missing", (_req, res) => res.render("nothing"));
  app.get("/broken", (_req, res) => res.render("page", {}));
}

/** Requests to it. */
export const requestsOfViews = [
  {
    path: "/",
    sees: {
      body: /<title>people<\/title>[^]*<li>Ada<\/li><li>&lt;Bob&gt;<\/li>/,
      headers: { "content-type": "text/html; charset=utf-8" },
    },
  },
  { path: "/locals", sees: { body: /<title>of the app<\/title>[^]*<li>local<\/li>/ } },
  { path: "/named", sees: { body: /<title>named<\/title>/ } },
  { path: "/called", sees: { body: /<LI>X<\/LI>/, headers: { "content-type": "text/plain; charset=utf-8" } } },
  { path: "/app", sees: { body: /<li>y<\/li>/ } },
  { path: "/missing", sees: { status: 500 } },
  { path: "/broken", sees: { status: 500 } },
  { method: "HEAD", path: "/", sees: { body: "" } },
];
