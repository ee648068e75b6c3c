// made when it is first needed: a runtime may load its encoder only then
let encoder: TextEncoder | null = null;

/**
 * A text in UTF-8. A lone surrogate becomes U+FFFD.
 *
 * @param text Any text
 */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return (encoder ??= new TextEncoder()).encode(text);
}

/**
 * Bytes a text takes in UTF-8, without encoding it. A lone surrogate takes three, as encoders write it.
 *
 * @param text Any text
 */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) length += 1;
    else if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length += 2;
      i++;
    } else length += 2;
  }
  return length;
}
