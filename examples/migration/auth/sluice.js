// Accounts: passwords hashed with scrypt, sessions in cookies, pages for members only.
import ejs from "ejs";
import express from "@sluice/sluice";
import session from "express-session";
import { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import process from "node:process";
import { promisify } from "node:util";

const app = express();
const derive = promisify(scrypt);
const accounts = new Map();

app.engine("html", ejs.renderFile);
app.set("view engine", "html");
app.set("trust proxy", "loopback");
app.disable("x-powered-by");

app.use(express.urlencoded({ extended: false }));
app.use(session({
  name: "member",
  secret: ["new secret", "old secret"],
  resave: false,
  saveUninitialized: false,
  cookie: { httpOnly: true, sameSite: "lax", maxAge: 600_000 },
}));

// a message from one page to the next, shown once
app.use((req, res, next) => {
  const { error, notice } = req.session;
  delete req.session.error;
  delete req.session.notice;
  Object.assign(res.locals, { error, notice, member: req.session.member });
  next();
});

async function register(name, password) {
  const salt = randomBytes(16);
  accounts.set(name, { name, salt, hash: await derive(password, salt, 32), visits: 0 });
}

async function authenticate(name, password) {
  const account = accounts.get(name);
  const hash = await derive(String(password), account?.salt ?? Buffer.alloc(16), 32);
  return account && timingSafeEqual(hash, account.hash) ? account : null;
}

function membersOnly(req, res, next) {
  if (req.session.member) return next();
  req.session.error = "Sign in first";
  res.redirect("/login");
}

app.get("/", (req, res) => res.redirect(req.session.member ? "/members" : "/login"));

app.get("/login", (_req, res) => res.render("login"));

app.post("/login", async (req, res, next) => {
  const account = await authenticate(req.body.name, req.body.password);
  if (!account) {
    req.session.error = "Name or password is wrong";
    return res.status(303).location("/login").end();
  }
  // a new session id prevents session fixation
  req.session.regenerate((error) => {
    if (error) return next(error);
    req.session.member = account.name;
    req.session.notice = `Welcome, ${account.name}`;
    res.redirect(303, "/members");
  });
});

const members = express.Router();
members.use(membersOnly);
members.get("/", (req, res) => {
  accounts.get(req.session.member).visits++;
  res.render("members", { visits: accounts.get(req.session.member).visits });
});
members.get("/me.json", (req, res) => {
  const { name, visits } = accounts.get(req.session.member);
  res.set("Cache-Control", "no-store").json({ name, visits, ip: req.ip, secure: req.secure, base: req.baseUrl });
});
members.all("/*rest", (req, res) => res.status(404).type("txt").send(`No ${req.params.rest.join("/")} for members`));
app.use("/members", members);

app.post("/logout", (req, res, next) => {
  req.session.destroy((error) => {
    if (error) return next(error);
    res.clearCookie("member").redirect("/login");
  });
});

await register("ada", "engine");
const server = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`Listening on port ${server.address().port}`);
});
