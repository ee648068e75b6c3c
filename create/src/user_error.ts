/** An error that the user can mend: its message is all that is shown, on one line. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The code of a system's error, such as `EACCES`, or what it says if it has none. */
export function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
