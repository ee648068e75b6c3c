import sluice, { type FrameworkApp } from "../../../mod.ts";
import cookieParser from "cookie-parser";
import cookieSession from "cookie-session";

/** Signed cookies and a session, with their npm packages. */
export const app: FrameworkApp = sluice();
app.get("/signed/set", cookieParser("key"), (_req, res) => res.cookie("name", "Ada", { signed: true }).send("set"));
app.get("/signed", cookieParser("key"), (req, res) => res.json(req.signedCookies));
app.use("/session", cookieSession({ name: "session", keys: ["key"] }));
app.get("/session/set", (req, res) => {
  req["session"].name = "Ada";
  res.send("set");
});
app.get("/session", (req, res) => res.json({ name: req["session"].name }));
