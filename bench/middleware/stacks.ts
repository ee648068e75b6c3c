import compression from "compression";
import cookieParser from "cookie-parser";
import cors from "cors";
import session from "express-session";
import helmet from "helmet";
import morgan from "morgan";

/** The packages, set up as in their READMEs; each is typed for Express in its own way. */
const MADE: Readonly<Record<string, () => unknown>> = {
  helmet: () => helmet(),
  cors: () => cors(),
  "cookie-parser": () => cookieParser("secret"),
  morgan: () => morgan("combined", { stream: { write() {} } }),
  compression: () => compression(),
  "express-session": () => session({ secret: "secret", resave: false, saveUninitialized: false }),
};

/** Middleware stacks by name, in the usual order. */
export const STACKS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  ...Object.fromEntries(Object.keys(MADE).map((name) => [name, [name]])),
  "all of them": Object.keys(MADE),
};

/**
 * Creates a stack.
 *
 * @param name Its name
 * @throws {Error} If there is no stack with that name
 */
export function stackOf(name: string): unknown[] {
  const names = STACKS[name];
  if (names === undefined) throw new Error(`There is no stack "${name}"; there are ${Object.keys(STACKS).join(", ")}`);
  return names.map((one) => MADE[one]!());
}
