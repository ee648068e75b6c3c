import vhost from "vhost";

export const title = "vhost sends each host to its own application";

export default function (app, lib) {
  const mail = lib();
  mail.get("/", (req, res) => res.json({ app: "mail", vhost: req.vhost.hostname }));
  app.use(vhost("mail.example.com", mail));
  app.use(
    vhost(
      "*.users.example.com",
      (req, res) => res.json({ user: req.vhost[0], length: req.vhost.length, host: req.vhost.host }),
    ),
  );
  app.use(
    vhost(/^(api|rpc)\.example\.com$/i, (req, res, next) => req.path === "/next" ? next() : res.send(req.vhost[0])),
  );
  app.use((req, res) => res.send(`main ${req.hostname}`));
}

const at = (Host, path, sees) => ({ path, headers: { Host }, sees });

export const requests = [
  at("mail.example.com", "/", { body: { app: "mail", vhost: "mail.example.com" } }),
  at("MAIL.example.com:8080", "/", { body: /"app":"mail"/ }),
  at("mail.example.com", "/nothing", { body: "main mail.example.com" }),
  at("ada.users.example.com:3000", "/", { body: { user: "ada", length: 1, host: "ada.users.example.com:3000" } }),
  at("api.example.com", "/", { body: "api" }),
  at("rpc.example.com", "/next", { body: "main rpc.example.com" }),
  at("example.com", "/", { body: "main example.com" }),
];
