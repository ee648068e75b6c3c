/**
 * Features that Sluice's applications have beyond Express's, for programs typed with `@types/express`:
 *
 * ```ts
 * import type {} from "express/sluice";
 * ```
 *
 * @module
 */
import type { FrameworkApp } from "@sluice/sluice";

declare global {
  namespace Express {
    interface Application
      extends Pick<FrameworkApp, "close" | "connections" | "fetch" | "group" | "inject" | "isClosing"> {}
  }
}
