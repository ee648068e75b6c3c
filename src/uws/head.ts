import { STATUS_CODES } from "node:http";
import type { RawResponse } from "../node/node_response.ts";
import type { Bytes, EngineResponse } from "./engine.ts";

/** Headers that the engine writes itself. */
const ITS_OWN: ReadonlySet<string> = new Set(["connection", "content-length", "date", "transfer-encoding"]);

/** A `Connection` value that ends the connection. */
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** A response head. */
export class Head {
  readonly #parts: RawResponse;
  /** Whether the connection ends with the response. */
  readonly isLast: boolean;

  /**
   * @param parts The response
   * @param isLast Whether the connection ends with it regardless
   */
  constructor(parts: RawResponse, isLast: boolean) {
    this.#parts = parts;
    this.isLast = isLast || CLOSE.test(this.#value("connection") ?? "");
  }

  #value(wanted: string): string | undefined {
    const { head } = this.#parts;
    for (let i = 0; i < head.length; i += 2) if (head[i] === wanted) return head[i + 1];
    return undefined;
  }

  /** The body length as announced by the response. */
  get length(): number | undefined {
    const value = this.#value("content-length");
    return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  }

  /**
   * Writes the head, except the headers that frame the body.
   *
   * @param res The engine's response
   */
  write(res: EngineResponse): void {
    const { status, statusText, head, isAscii } = this.#parts;
    const line = `${status} ${statusText || (STATUS_CODES[status] ?? "")}`;
    res.writeStatus(isAscii ? line : latin1(line));
    for (let i = 0; i < head.length; i += 2) {
      const value = head[i + 1]!;
      if (!ITS_OWN.has(head[i]!)) res.writeHeader(head[i]!, isAscii ? value : latin1(value));
    }
  }
}

// the engine would send a string as UTF-8
function latin1(text: string): Bytes {
  return Buffer.from(text, "latin1");
}
