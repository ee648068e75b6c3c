import ejs from "ejs";
import sluice from "@sluice/sluice";

/** Creates the application; server.ts listens, and tests call it without a server. */
export function createApp() {
  const app = sluice();
  const guests: string[] = [];
  const page = { title: "Guests", guests, problem: "" };

  // views/ and public/ are in the folder in which the process was started
  app.engine("ejs", ejs.renderFile).set("view engine", "ejs");
  app.use("/public", sluice.static("public", { maxAge: "1h" }));

  app.get("/", (_req, res) => res.render("index", page));

  app.post("/guests", sluice.urlencoded({ limit: "10kb" }), (req, res) => {
    const name = String(req.body?.name ?? "").trim();
    if (name === "") return res.status(422).render("index", { ...page, problem: "A guest needs a name" });
    guests.push(name);
    res.redirect(303, "/");
  });

  return app;
}
