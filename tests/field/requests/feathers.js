export const title = "Feathers serves a service over REST";
export const packages = {
  "@feathersjs/errors": "5.0.50",
  "@feathersjs/feathers": "5.0.50",
  "@feathersjs/express": "5.0.50",
};

const json = { "Content-Type": "application/json", Accept: "application/json" };
export const masks = [/"stack":"[^"]*"/g, /<pre>[^]*<\/pre>/g];
const ignore = ["content-length", "etag"];

export const requests = [
  { path: "/messages?a=1&$limit=2" },
  { path: "/messages/1" },
  { path: "/messages/9", headers: { Accept: "application/json" }, ignore },
  { path: "/messages", method: "POST", headers: json, body: '{"text":"second"}' },
  {
    path: "/messages",
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "text=a",
  },
  { path: "/messages/1", method: "PATCH", headers: json, body: '{"text":"changed"}' },
  { path: "/messages/1", method: "PUT", headers: json, body: "{}", ignore },
  { path: "/messages/1", method: "DELETE" },
  { path: "/messages", method: "POST", headers: json, body: "{", ignore },
  { path: "/plain/7" },
  { path: "/nothing", headers: { Accept: "application/json" }, ignore },
  { path: "/nothing", headers: { Accept: "text/html" }, ignore },
];
