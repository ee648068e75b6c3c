/** An error that the user can mend: its message is all that is shown, on one line. */
export class UserError extends Error {
  override readonly name = "UserError";
}
