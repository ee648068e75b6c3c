import { createHmac } from "node:crypto";

export const title = "Probot answers webhooks, as middleware";
export const packages = { probot: "14.3.2", pino: "10.0.0" };

const SECRET = "secret";

function hook(event, body, path = "/hooks", secret = SECRET) {
  const text = JSON.stringify(body);
  return {
    path,
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-GitHub-Event": event,
      "X-GitHub-Delivery": "1",
      "X-Hub-Signature-256": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`,
    },
    body: text,
  };
}

export const requests = [
  hook("ping", { zen: "one" }),
  hook("ping", { zen: "two" }, "/below/hooks"),
  hook("ping", { zen: "three" }, "/hooks", "wrong"),
  hook("issues", { action: "opened", issue: {}, installation: { id: 1 } }),
  { path: "/seen" },
  { path: "/hooks" },
  { path: "/hooks", method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" },
  { path: "/ping" },
  { path: "/nothing" },
];
