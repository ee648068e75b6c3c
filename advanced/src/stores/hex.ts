const DIGITS: readonly string[] = /* @__PURE__ */ Array.from(
  { length: 256 },
  (_, byte) => byte.toString(16).padStart(2, "0"),
);

/** Encodes bytes as hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  let digits = "";
  for (const byte of bytes) digits += DIGITS[byte];
  return digits;
}
