/** A server-sent event. */
export interface ServerSentEvent<Data = string> {
  /** Its type; `message` by default. */
  readonly event: string;
  /** Its data. */
  readonly data: Data;
  /** The last id that the server has sent; the header `Last-Event-ID` resumes after it. */
  readonly id: string;
  /** How long to wait before reconnecting, in ms, as last set by the server. */
  readonly retry?: number;
}

/**
 * Reads server-sent events (HTML, section 9.2.6). Ending the iteration ends the request.
 *
 * @param body The response body
 * @param parse Converts an event's data to a value
 */
export async function* eventStream<Data>(
  body: ReadableStream<Uint8Array>,
  parse: (text: string) => Data,
): AsyncGenerator<ServerSentEvent<Data>, void, void> {
  let [event, id, data] = ["", "", [] as string[]];
  let retry: number | undefined;
  for await (const line of lines(body)) {
    if (line === "") {
      const said = { event: event || "message", data: data.join("\n"), id, ...retry === undefined ? {} : { retry } };
      const isEmpty = data.length === 0;
      [event, data] = ["", []];
      if (!isEmpty) yield { ...said, data: parse(said.data) };
      continue;
    }
    const [, field, value = ""] = line.match(/^([^:]*)(?:: ?(.*))?$/s)!;
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) retry = Number(value);
  }
}

/**
 * Reads newline-delimited JSON from a body.
 *
 * @param body The body
 */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, void> {
  for await (const line of lines(body, true)) if (line.trim() !== "") yield JSON.parse(line);
}

/** Yields a body's lines; an unterminated last line only if `withRest`. */
async function* lines(body: ReadableStream<Uint8Array>, withRest = false): AsyncGenerator<string, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let [text, from] = ["", 0];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += done ? decoder.decode() : decoder.decode(value, { stream: true });
      for (let end; (end = endOfLine(text, from, done)) !== undefined; from = end.next) yield text.slice(from, end.at);
      text = text.slice(from);
      from = 0;
      if (!done) continue;
      if (withRest && text !== "") yield text;
      return;
    }
  } finally {
    // a reader that stops early does not need the rest; a finished body ignores this
    await reader.cancel().catch(() => {});
  }
}

/** Finds where the first line ends, and the next one begins; an LF may still follow a CR that ends the data. */
function endOfLine(text: string, from: number, isWhole: boolean): { at: number; next: number } | undefined {
  END_OF_LINE.lastIndex = from;
  const found = END_OF_LINE.exec(text);
  if (found === null) return undefined;
  const next = found.index + found[0].length;
  if (found[0] === "\r" && next === text.length && !isWhole) return undefined;
  return { at: found.index, next };
}

const END_OF_LINE = /\r\n|\r|\n/g;
