/** The entries of @sluice/middleware to combine, with a new instance for each program. */
import { compress } from "@sluice/middleware/compress";
import { context } from "@sluice/middleware/context";
import { csrf } from "@sluice/middleware/csrf";
import { health } from "@sluice/middleware/health";
import { requestId } from "@sluice/middleware/request-id";
import { MemorySessionStore, session, type SetSessionOptions } from "@sluice/middleware/session";
import { timeout } from "@sluice/middleware/timeout";
import { upload } from "@sluice/middleware/upload";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { sleep } from "./sleep.ts";

const SECRET = "of at least 32 characters, for tests";
const SLOW_MS = 3;
/** A timeout that slow endings exceed, and the others do not. */
export const SHORT_MS = 25;

/** Makes a middleware. */
export const ENTRIES: Readonly<Record<string, () => Any>> = {
  compress: () => compress(),
  compressAll: () => compress({ threshold: 0 }),
  context: () => context(),
  csrf: () => csrf({ token: { secret: SECRET } }),
  failingSession: () => session({ store: new FailingSessions() }),
  health: () => health(),
  requestId: () => requestId(),
  rollingSession: () => session({ secret: SECRET, rolling: true }),
  sealedSession: () => session({ secret: SECRET }),
  shortTimeout: () => timeout(SHORT_MS),
  slowSession: () => session({ store: new SlowSessions() }),
  storedSession: () => session({ store: new MemorySessionStore() }),
  timeout: () => timeout(60_000),
  upload: () => upload(),
};

/** Entries of which the program has an instance in front of everything; another mount must change nothing. */
export const AGAIN = ["log", "metrics"];

/** Entries of which only the first has an effect. */
export const ROLES = [/Session$/, /^compress/, /[tT]imeout$/];

class SlowSessions extends MemorySessionStore {
  override async get(id: string): Promise<string | undefined> {
    await sleep(SLOW_MS);
    return super.get(id);
  }

  override async set(id: string, content: string, options: SetSessionOptions): Promise<boolean> {
    await sleep(SLOW_MS);
    return super.set(id, content, options);
  }

  override async touch(id: string, ttlMs: number): Promise<boolean> {
    await sleep(SLOW_MS);
    return super.touch(id, ttlMs);
  }
}

class FailingSessions extends MemorySessionStore {
  override async set(): Promise<boolean> {
    await sleep(SLOW_MS);
    throw new Error("planted: no store");
  }

  override touch(): Promise<boolean> {
    return Promise.reject(new Error("planted: no store"));
  }
}
