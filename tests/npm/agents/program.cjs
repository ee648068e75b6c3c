/** The program that every agent monitors, and its requests. */
"use strict";
const http = require("node:http");

/** Whether it runs on Express 4, which does not wait for promises. */
const isFour = process.env.EXPRESS_MAJOR === "4";

/**
 * Makes the program; the agent must already be loaded.
 *
 * @param first Called with the application before anything is registered
 * @param last Called with the application in front of the error handler
 */
exports.build = function (first, last) {
  const express = require("express");
  const app = express();
  app.set("env", "test");
  first?.(app);
  app.use(function logger(_req, res, next) {
    res.setHeader("x-logged", "1");
    next();
  });
  app.use(express.json());
  app.use(function authenticate(_req, _res, next) {
    setTimeout(next, 1);
  });
  app.param("team", (req, _res, next, team) => {
    req.team = team;
    next();
  });
  app.get("/plain", function plain(_req, res) {
    res.send("plain");
  });
  app.get("/users/:id", function checkUser(_req, _res, next) {
    next();
  }, function showUser(req, res) {
    res.json({ id: req.params.id });
  });
  app.post("/orders", function order(req, res) {
    res.status(201).json(req.body);
  });

  const members = express.Router({ mergeParams: true });
  members.get("/:name", async function showMember(req, res) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    res.json(req.params);
  });
  const api = express.Router();
  api.use(function guard(_req, _res, next) {
    next();
  });
  api.use("/:team/members", members);
  api.get("/thrown", function throwing() {
    throw new Error("thrown");
  });
  api.get("/rejected", async function rejecting(_req, _res, next) {
    await null;
    if (isFour) return next(new Error("rejected"));
    throw new Error("rejected");
  });
  api.get("/passed", function passing(_req, _res, next) {
    next(new Error("passed"));
  });
  app.use("/api", api);

  const shop = express();
  shop.get("/items/:key", function showItem(_req, res) {
    res.send("item");
  });
  app.use("/shop", shop);

  app.route("/steps/:n").all(function any(_req, _res, next) {
    next();
  }).get(function showStep(_req, res) {
    res.send("step");
  });
  last?.(app);
  app.use(function failed(error, _req, res, _next) {
    res.status(error.status ?? 500).json({ error: error.message });
  });
  return app;
};

/** The requests, in order. */
const REQUESTS = [
  { path: "/plain" },
  { path: "/users/7" },
  { path: "/orders", body: '{"count":1}' },
  { path: "/orders", body: "{" },
  { path: "/api/red/members/ann" },
  { path: "/api/thrown" },
  { path: "/api/rejected" },
  { path: "/api/passed" },
  { path: "/shop/items/cup" },
  { path: "/steps/3" },
  { path: "/nothing/here" },
];

/** Number of requests. */
exports.count = REQUESTS.length;

/**
 * Serves the program and sends it the requests.
 *
 * @param app The program
 * @param after Called with the request and its status once the response has arrived
 */
exports.drive = async function (app, after) {
  const server = await new Promise((resolve, reject) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
    made.on("error", reject);
  });
  const { port } = server.address();
  for (const { path, body } of REQUESTS) {
    const method = body === undefined ? "GET" : "POST";
    const status = await new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const request = http.request({ port, host: "127.0.0.1", method, path, agent: false, headers });
      request.on("response", (response) => response.resume().on("end", () => resolve(response.statusCode)));
      request.on("error", reject).end(body);
    });
    await after?.(`${method} ${path}`, status);
  }
  server.close();
};

/**
 * Waits until a condition is true.
 *
 * @param isSo Returns whether the condition is true
 * @param what Description of the condition
 */
exports.until = async function (isSo, what) {
  for (let i = 0; i < 2000; i++) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${what}: not within ten seconds`);
};

/** Prints the agent's records for the requests, in order, as the last line, and exits. */
exports.report = function (found) {
  process.stdout.write(`\n${JSON.stringify(found)}\n`, () => process.exit());
};
