export const title = "Next runs in a custom server";
export const packages = { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1" };

export const masks = [/\?(?:v|ts|dpl)=[\w-]+/g, /next-\w{6}/g, /"buildId":"[^"]+"/g, /"?nonce"?[=:]"[^"]+"/g];
const ignore = ["etag", "content-length"];
const json = { "Content-Type": "application/json" };

export const requests = [
  { path: "/own/7" },
  { path: "/?a=1", headers: { "X-From": "me" }, ignore },
  { path: "/as-page", ignore },
  { path: "/api/echo?q=1" },
  { path: "/api/echo", method: "POST", headers: json, body: '{"a":1}' },
  {
    path: "/api/echo",
    method: "POST",
    headers: json,
    body: "{",
    differs: {
      parts: ["content-length"],
      why: "an answer ended in one piece has a `Content-Length`, where Express sends chunks",
    },
  },
  { path: "/api/moved" },
  { path: "/nothing/here", ignore },
  { path: "/", method: "HEAD", ignore },
];
