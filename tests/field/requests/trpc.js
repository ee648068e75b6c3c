export const title = "tRPC answers queries, mutations, batches and streams";
export const packages = { "@trpc/server": "11.25.2" };

const json = { "Content-Type": "application/json" };
const input = encodeURIComponent('"hello"');
const batch = encodeURIComponent('{"0":"a","1":"b"}');

export const masks = [/"stack":"[^"]*"/g];
const ignore = ["content-length"];

export const requests = [
  { path: `/trpc/greet?input=${input}`, headers: { "X-From": "me" } },
  { path: "/trpc/greet?input=1", ignore },
  { path: `/trpc/greet,greet?batch=1&input=${batch}` },
  { path: "/trpc/refused", ignore },
  { path: "/trpc/nothing", ignore },
  { path: "/trpc/save", method: "POST", headers: json, body: '"text"' },
  { path: "/parsed/save", method: "POST", headers: json, body: '{"not":"text"}', ignore },
  { path: "/trpc/save", method: "POST", headers: json, body: "{", ignore },
  { path: "/trpc/save", ignore },
  { path: "/trpc/count", headers: { Accept: "text/event-stream" } },
  { path: `/trpc/greet?input=${input}`, method: "HEAD", ignore },
  { path: `/trpc/greet,greet?batch=1&input=${batch}`, headers: { "trpc-accept": "application/jsonl" } },
];
