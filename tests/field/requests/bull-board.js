export const title = "bull-board shows queues below a mount";
export const packages = { "@bull-board/api": "9.10.1", "@bull-board/express": "9.10.1" };

export const masks = [/"timestamp":\d+/g, /"uptime":[\d.]+/g];
const ignore = ["etag", "last-modified"];

export const requests = [
  { path: "/admin/queues", ignore },
  { path: "/admin/queues/", ignore },
  { path: "/admin/queues/queue/mails", ignore },
  { path: "/admin/queues/api/queues", ignore },
  { path: "/admin/queues/api/queues?activeQueue=mails&page=1", ignore },
  { path: "/admin/queues/api/redis/stats", ignore },
  { path: "/admin/queues/api/queues/mails/pause", method: "PUT", ignore },
  { path: "/admin/queues/api/queues/nobody/pause", method: "PUT", ignore },
  { path: "/admin/queues/api/queues/mails/9", ignore },
  { path: "/admin/queues/static/images/logo.svg", ignore },
  { path: "/admin/queues/static/../package.json", ignore },
  { path: "/admin", ignore },
];
