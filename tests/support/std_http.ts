/** Replaces `@std/http` where JSR is unreachable; only tests in `tests/jsr/` use it, and they are then skipped. */
export function serveDir(_request: Request, _options?: { fsRoot?: string; quiet?: boolean }): Promise<Response> {
  throw new Error("@std/http needs JSR");
}
