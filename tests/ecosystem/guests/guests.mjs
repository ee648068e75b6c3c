// An application as a guest of other code on Node, which adds properties to the request or the response or reads them
// afterwards. Prints what handlers and that code observe, as JSON; the first argument is the library.
import { createServer, Server } from "node:http";
import process from "node:process";

const { default: library } = await import(process.argv[2]);

async function ask(listen) {
  const server = await listen();
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  const response = await fetch(`http://127.0.0.1:${server.address().port}/items?a=1`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"b":2}',
  });
  const seen = `${response.status} ${await response.text()}`;
  await new Promise((resolve) => server.close(resolve));
  return seen;
}

const behind = (handler) => ask(() => createServer(handler).listen(0, "127.0.0.1"));

function appOf(...handlers) {
  const app = library().set("env", "production");
  for (const handler of handlers) app.use(handler);
  return app;
}

/** Additions that other code makes to a request before the application gets it. */
const OWN = {
  ip: "192.0.2.1",
  ips: ["192.0.2.1"],
  hostname: "outer.example",
  protocol: "https",
  secure: true,
  path: "/outer",
  xhr: true,
  subdomains: ["a"],
  stale: "outer",
  id: 7,
  user: { name: "ada" },
  tenant: "t",
};

const cases = {};
for (const [name, value] of Object.entries(OWN)) {
  const shown = appOf((req, res) => res.json([req[name], Object.hasOwn(req, name), name in req]));
  cases[`req.${name}`] = () =>
    behind((req, res) => {
      Object.defineProperty(req, name, { value, writable: true, configurable: true, enumerable: true });
      shown(req, res);
    });
  cases[`a getter of req.${name} that is not enumerable`] = () =>
    behind((req, res) => {
      Object.defineProperty(req, name, { get: () => value, configurable: true });
      shown(req, res);
    });
}

cases["a property of req that a handler changes"] = () => {
  const app = appOf((req, _res, next) => {
    req.tenant += "!";
    next();
  });
  return behind((req, res) => {
    req.tenant = "t";
    app(req, res, () => res.end(req.tenant));
  });
};
cases["a property and a method of res"] = () => {
  const app = appOf((_req, res) => res.tell(res.tenant));
  return behind((req, res) => {
    Object.assign(res, { tenant: "t", tell: (text) => res.end(`told ${text}`) });
    app(req, res);
  });
};
for (const method of ["send", "json"]) {
  cases[`another res.${method}`] = () => {
    const app = appOf((_req, res) => res[method]("inner"));
    return behind((req, res) => {
      res[method] = (text) => res.end(`outer: ${text}`);
      app(req, res);
    });
  };
}
cases["status and headers that another res.send finds"] = () => {
  const app = appOf((_req, res) => res.status(201).set("x-a", "1").json({ b: 2 }));
  return behind((req, res) => {
    res.send = (text) => res.end(`${res.statusCode} ${res.getHeader("x-a")} ${res.getHeader("content-type")} ${text}`);
    app(req, res);
  });
};
cases["a header that is removed after a method of others was looked for"] = () => {
  const app = appOf((_req, res, next) => {
    res.set("x-a", typeof res.tell);
    res.tell("");
    res.removeHeader("x-a");
    next();
  });
  return behind((req, res) => {
    res.tell = () => {};
    app(req, res, () => res.end(String(res.getHeader("x-a"))));
  });
};
cases["another res.end"] = () => {
  const app = appOf((_req, res) => res.json({ a: 1 }));
  return behind((req, res) => {
    const { end } = res;
    res.end = function (chunk, ...rest) {
      res.removeHeader("content-length");
      return end.call(this, `wrapped ${chunk}`, ...rest);
    };
    app(req, res);
  });
};
cases["a proxy of req"] = () => {
  const app = appOf((req, res) => res.json([req.extra ?? null, "extra" in req, req.url, req.get("content-type")]));
  const get = (target, name) => {
    if (name === "extra") return 5;
    return typeof target[name] === "function" ? target[name].bind(target) : target[name];
  };
  const has = (target, name) => name === "extra" || name in target;
  return behind((req, res) => app(new Proxy(req, { get, has }), res));
};
cases["what a handler adds to a proxy of req"] = () => {
  const app = appOf((req, _res, next) => {
    req.extra = 5;
    next();
  }, (req, res) => res.json([req.extra, "extra" in req]));
  const get = (target, name) => typeof target[name] === "function" ? target[name].bind(target) : target[name];
  const set = (target, name, value) => Reflect.set(target, name, name === "extra" ? value + 1 : value);
  return behind((req, res) => app(new Proxy(req, { get, set }), res));
};
cases["a proxy of res"] = () => {
  const app = appOf((_req, res) => res.json({ a: 1 }));
  const get = (target, name) => typeof target[name] === "function" ? target[name].bind(target) : target[name];
  const set = (target, name, value) => Reflect.set(target, name, value);
  return behind((req, res) => app(req, new Proxy(res, { get, set })));
};
cases["what a middleware leaves behind"] = () => {
  const app = appOf(library.json(), (req, res, next) => {
    req.user = "u";
    res.user = "v";
    res.locals.nonce = "n";
    res.status(201).set("x-a", "1");
    next();
  });
  return behind((req, res) =>
    app(req, res, () => {
      const { user, query, body, params } = req;
      const { locals } = res;
      res.end(JSON.stringify([user, query, body, params ?? null, res.user, { ...locals }, res.getHeader("x-a")]));
    })
  );
};

/** Hooks in as monitoring agents do, and returns the handlers' observations. */
async function withAgent(listen) {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event, req, res) {
    if (event === "request") {
      req.transaction = "tq";
      res.transaction = "tr";
    }
    return emit.apply(this, arguments);
  };
  try {
    return await ask(listen);
  } finally {
    if (Object.hasOwn(Server.prototype, "emit")) delete Server.prototype.emit;
  }
}

const traced = appOf((req, res) => res.json([req.transaction, res.transaction]));
cases["an agent around createServer(app)"] = () => withAgent(() => createServer(traced).listen(0, "127.0.0.1"));
cases["an agent around app.listen"] = () => withAgent(() => traced.listen(0, "127.0.0.1"));

const seen = {};
for (const [name, run] of Object.entries(cases)) seen[name] = await run();
console.log(JSON.stringify(seen));
process.exit(0);
