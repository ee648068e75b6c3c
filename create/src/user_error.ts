/** An error that the user can fix: only its message is shown, on one line. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** Returns a system error's code, such as `EACCES`, or its message if it has none. */
export function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
