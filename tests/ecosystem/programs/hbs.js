import hbs from "hbs";

export const title = "hbs renders views with partials, helpers and a layout";

export default function (app, lib, tools) {
  app.set("view engine", "hbs");
  app.set("views", `${tools.files}/views`);
  hbs.registerHelper("loud", (text) => text.toUpperCase());
  hbs.registerPartial("head", "<title>{{title}}</title>");
  app.get("/", (_req, res) => res.render("page", { title: "people", names: ["Ada", "<Bob>"] }));
  app.get("/bare", (_req, res) => res.render("page", { layout: false, title: "bare", names: [] }));
  app.get("/missing", (_req, res) => res.render("nothing"));
  const own = lib();
  const instance = hbs.create();
  instance.registerHelper("loud", (text) => `${text}!`);
  instance.registerPartials(`${tools.files}/views/partials`);
  own.engine("hbs", instance.__express);
  own.set("view engine", "hbs");
  own.set("views", `${tools.files}/views`);
  own.get(
    "/",
    (_req, res) =>
      instance.registerPartials(
        `${tools.files}/views/partials`,
        () => res.render("page", { layout: false, title: "own", names: ["Eve"] }),
      ),
  );
  app.use("/own", own);
}

export const requests = [
  {
    path: "/",
    sees: { body: /^<!doctype html>\n<body><title>people<\/title>\n?<ul><li>ADA<\/li><li>&lt;BOB&gt;<\/li><\/ul>/ },
  },
  { path: "/bare", sees: { body: /^<title>bare<\/title>/ } },
  { path: "/missing", sees: { status: 500 } },
  { path: "/own", sees: { body: /^<title>own<\/title>\n<ul><li>Eve!<\/li><\/ul>/ } },
  { path: "/", sees: { body: /ADA/ } },
];
