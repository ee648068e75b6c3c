/** Parts of a way to continue a chain. The same code runs on Express and on Sluice. */
import type { Any } from "../../../tests/support/sluice_and_express.ts";

/** A request body's content. */
export type Content = "json" | "form" | "text" | "bytes" | "multipart";

/**
 * Returns a callback that records the asynchronous context it runs in. The request is complete once all callbacks made
 * for it have run.
 *
 * @param req The request it belongs to
 * @param label Its name in findings
 */
export type See = (req: Any, label: string) => (...args: unknown[]) => void;

/** One way to continue a chain. */
export interface Way {
  /** Its name in findings. */
  readonly name: string;
  /** Its requests' content. */
  readonly content: Content;
  /** `GET` for ways without a body, `WS` for WebSockets; `POST` by default. */
  readonly method?: "GET" | "WS";
  /** The rest of the path after the mount path. */
  readonly rest?: string;
  /** Registers its handlers on its own router. */
  set(router: Any, lib: Any, see: See): void;
}

/** Folder with the files and views. */
export const FILES = "reliability/fuzz/contexts/files";

/** A limit that no body exceeds. */
export const ROOMY = { limit: "2mb" };

/** A handler that responds immediately. */
export function done(see: See): (req: Any, res: Any) => void {
  return (req, res) => {
    see(req, "handler")();
    res.json({});
  };
}

/** Waits for a timer. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Listens for the end of the response. */
export function listen(req: Any, res: Any, see: See): void {
  res.on("finish", see(req, "res finish"));
  res.on("close", see(req, "res close"));
}
