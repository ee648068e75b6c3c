export const title = "json-server makes an API of an object";
export const packages = { "json-server": "0.17.4" };

const json = { "Content-Type": "application/json" };
const page = { ignore: ["last-modified", "etag"] };

export const requests = [
  { path: "/posts" },
  { path: "/posts/1" },
  { path: "/posts/9" },
  { path: "/api/posts/2" },
  { path: "/blog/2/show" },
  { path: "/articles?id=1" },
  { path: "/posts?title=second" },
  { path: "/posts?_page=2&_limit=2" },
  { path: "/posts?_sort=views,id&_order=desc,asc" },
  { path: "/posts?_start=1&_end=2" },
  { path: "/posts?views_gte=15" },
  { path: "/posts?id=1&id=3" },
  { path: "/posts?title_like=^f" },
  { path: "/posts?q=ir" },
  { path: "/posts?_embed=comments" },
  { path: "/comments?_expand=post" },
  { path: "/posts/1/comments" },
  { path: "/posts/1/comments", method: "POST", headers: json, body: '{"body":"perhaps"}' },
  { path: "/profile" },
  { path: "/profile", method: "PUT", headers: json, body: '{"name":"you"}' },
  { path: "/posts", method: "POST", headers: json, body: '{"title":"fourth"}' },
  {
    path: "/posts",
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "title=fifth",
  },
  { path: "/posts/1", method: "PUT", headers: json, body: '{"title":"changed"}' },
  { path: "/posts/2", method: "PATCH", headers: json, body: '{"views":21}' },
  { path: "/posts/3", method: "DELETE" },
  { path: "/posts/3", method: "DELETE" },
  {
    path: "/posts/1",
    method: "OPTIONS",
    headers: { Origin: "http://one.example", "Access-Control-Request-Method": "PUT" },
    differs: {
      parts: ["content-length"],
      why: "the `Content-Length: 0` that cors sets on a 204 is not sent, as RFC 9110 (section 8.6) demands",
    },
  },
  { path: "/posts", headers: { Origin: "http://one.example" } },
  { path: "/posts", method: "POST", headers: json, body: "{" },
  { path: "/posts?callback=call" },
  { path: "/db" },
  { path: "/", ...page },
  { path: "/script.js", ...page },
  { path: "/nothing" },
  { path: "/posts", method: "HEAD" },
];
