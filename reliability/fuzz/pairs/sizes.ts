import { random } from "../../../tests/support/random.ts";

/** Bodies: a line, a few kilobytes, and 2.2 MB that compress well or barely at all. */
export const SIZES = ["line", "page", "large", "dense"] as const;

/** A body's name. */
export type Size = (typeof SIZES)[number];

const LARGE = 2_200_000;

/** Always the same string, in ASCII. */
export function textOf(size: Size): string {
  if (size === "line") return "a line of text\n";
  if (size === "page") return "a page has several lines\n".repeat(800);
  if (size === "large") return "var a = 1;\n".repeat(LARGE / 11);
  const pick = random(1);
  const bytes = Uint8Array.from({ length: LARGE }, () => 33 + pick(94));
  return new TextDecoder().decode(bytes);
}
