import { createBullBoard } from "@bull-board/api";
import { BaseAdapter } from "@bull-board/api/dist/queueAdapters/base.js";
import { ExpressAdapter } from "@bull-board/express";
import express from "express";

/** A queue that is always empty. */
class Queue extends BaseAdapter {
  constructor() {
    super("bullmq");
  }
  getName = () => "mails";
  getJobs = () => Promise.resolve([]);
  getJobCounts = () => Promise.resolve({ active: 0, completed: 0, failed: 0, waiting: 0, delayed: 0, paused: 0 });
  getJob = () => Promise.resolve(undefined);
  getJobLogs = () => Promise.resolve([]);
  getRedisInfo = () => Promise.resolve("redis_version:7.0.0");
  isPaused = () => Promise.resolve(false);
  pause = () => Promise.resolve();
  resume = () => Promise.resolve();
  empty = () => Promise.resolve();
  clean = () => Promise.resolve();
  addJob = () => Promise.resolve({ id: "1" });
  getStatuses = () => ["active", "waiting", "completed", "failed", "delayed", "paused"];
  getJobStatuses = () => ["active", "waiting", "completed", "failed", "delayed", "paused"];
  getGlobalConcurrency = () => Promise.resolve(null);
  getMetrics = () => Promise.resolve(undefined);
}

export async function start() {
  const board = new ExpressAdapter();
  board.setBasePath("/admin/queues");
  createBullBoard({ queues: [new Queue()], serverAdapter: board });
  const app = express();
  app.use("/admin/queues", board.getRouter());
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  return { server, close: () => new Promise((resolve) => server.close(resolve)) };
}
