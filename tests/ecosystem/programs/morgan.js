import morgan from "morgan";

export const title = "morgan logs every request once its answer is sent";

export default function (app) {
  const lines = [];
  const stream = { write: (line) => lines.push(line) };
  app.get("/log", (_req, res) => res.type("txt").send(lines.splice(0).join("")));
  morgan.token("id", (req) => req.id);
  app.use((req, _res, next) => {
    req.id = "id-7";
    next();
  });
  app.use(morgan("combined", { stream }));
  app.use(morgan("common", { stream, skip: (_req, res) => res.statusCode < 400 }));
  app.use(morgan(":id :method :url :status :res[content-length] :res[content-type] :response-time[0] ms", { stream }));
  app.use(morgan("immediate :method :url :status", { stream, immediate: true }));
  app.use(morgan("dev", { stream }));
  app.use(morgan((tokens, req, res) => `${tokens.method(req, res)} ${tokens["http-version"](req, res)}\n`, { stream }));
  app.get("/", (_req, res) => res.send("hello"));
  app.get("/later", (_req, res) => setTimeout(() => res.status(201).json({ later: true }), 2));
  app.get("/empty", (_req, res) => res.status(204).end());
  app.get("/streamed", (_req, res) => {
    res.write("one ");
    res.end("two");
  });
  app.get("/broken", () => {
    throw new Error("broken");
  });
}

// times
export const masks = [/\[\d\d\/\w+\/\d{4}:[\d:]+ \+0000\]/g, /\d+(?:\.\d+)? ms/g];

// the length of the log depends on the number of digits in a time
const log = (body) => ({ path: "/log", ignore: ["etag", "content-length"], sees: { body } });

export const requests = [
  { path: "/", headers: { "User-Agent": "probe/1.0", Referer: "http://from.test/" } },
  log(/^127\.0\.0\.1 - - \[.*\] "GET \/ HTTP\/1\.1" 200 5 "http:\/\/from\.test\/" "probe\/1\.0"$/m),
  { path: "/", headers: { Authorization: "Basic " + btoa("tj:secret") } },
  log(/^127\.0\.0\.1 - tj \[/m),
  { path: "/later?x=1" },
  log(/^id-7 GET \/later\?x=1 201 14 application\/json; charset=utf-8 \d+ ms$/m),
  { path: "/empty" },
  log(/^id-7 GET \/empty 204 - - \d+ ms$/m),
  { path: "/streamed" },
  log(/^id-7 GET \/streamed 200 - - \d+ ms$/m),
  { path: "/missing" },
  log(/"GET \/missing HTTP\/1\.1" 404/),
  { path: "/broken" },
  log(/^id-7 GET \/broken 500 /m),
  { method: "HEAD", path: "/" },
  log(/^id-7 HEAD \/ 200 5 text\/html; charset=utf-8 \d+ ms$/m),
];
