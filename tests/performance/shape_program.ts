/** Checks that V8 keeps a request's objects in fast mode, and prints the names of those in dictionary mode as JSON. */
import sluice, { type FrameworkApp } from "@sluice/sluice";

// V8's native syntax is not valid TypeScript
const isFast = new Function("value", "return %HasFastProperties(value)") as (value: object) => boolean;

const slow = new Set<string>();
function look(given: Readonly<Record<string, object>>): void {
  for (const [name, value] of Object.entries(given)) if (!isFast(value)) slow.add(name);
}

function application(name: string): FrameworkApp {
  const app = sluice().set("env", "test").set("etag", false).enable("trust proxy");
  app.locals["title"] = name;
  app.on("mount", () => {});
  app.get("/:id", (req, res) => {
    const { app, route, socket } = req;
    look({ [name]: app, req, res, route, socket });
    res.json(req.params);
  });
  return app;
}

const app = application("application");
const mounted = application("mounted application");
const extended = application("application with methods of its own");
extended.response.sendTwice = () => {};
app.use("/mounted", mounted).use("/extended", extended);
look({ router: app.router, "made router": sluice.Router() });

for (let i = 0; i < 100; i++) {
  for (const path of ["/7", "/mounted/7", "/extended/7"]) await app.fetch(new Request(`http://localhost${path}`));
}
console.log(JSON.stringify([...slow]));
