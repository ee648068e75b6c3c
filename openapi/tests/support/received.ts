import type { Handler, Request } from "@sluice/sluice";
import { TextFile } from "./document_requests.ts";

/** What a handler has when it responds, by part. */
export type Received = Readonly<Record<"params" | "query" | "headers" | "cookies" | "body", unknown>>;

/**
 * Middleware that shows what later handlers have when they respond.
 *
 * @param show Called with it
 */
export function receives(show: (received: Received) => void): Handler {
  return (req, res, next) => {
    const { json, end } = res;
    res.json = (value) => {
      show(receivedBy(req));
      return json.call(res, value);
    };
    res.end = ((...args: []) => {
      show(receivedBy(req));
      return end.apply(res, args);
    }) as typeof end;
    next();
  };
}

function receivedBy(req: Request): Received {
  const { params, query, body, file } = req as Request & { file?: { fieldname: string; buffer: BlobPart } };
  const valid = (req as { valid?: { headers?: unknown; cookies?: unknown } }).valid;
  const own = file === undefined ? body : { ...body as object, [file.fieldname]: asFile(file) };
  return { params, query, headers: valid?.headers, cookies: valid?.cookies, body: own };
}

function asFile({ buffer, mimetype }: { buffer: BlobPart; mimetype?: string }): File {
  return new File([buffer], "file", { type: mimetype ?? "" });
}

/**
 * Where a received value is not the one that was sent.
 *
 * @param sent The sent value
 * @param received The received value
 * @param defaults Values that properties have if they are not sent
 * @param at Path of the value
 * @returns Paths of the differences, without positions in lists
 */
export async function differences(
  sent: unknown,
  received: unknown,
  defaults: ReadonlyMap<string, unknown>,
  at: string,
): Promise<string[]> {
  if (sent instanceof TextFile) {
    const isSame = received instanceof File && received.type === sent.type && await received.text() === sent.content;
    return isSame ? [] : [at];
  }
  if (received instanceof Date) return received.getTime() === Date.parse(String(sent)) ? [] : [at];
  // the segments of a wildcard
  if (typeof sent === "string" && Array.isArray(received)) return received.join("/") === sent ? [] : [at];
  // the shop's own transform keeps the last digits of a card
  if (/^body(?:\/payment)?\/number$/.test(at)) return String(sent).slice(-4) === received ? [] : [at];
  if (typeof sent !== "object" || sent === null) return sent === received ? [] : [at];
  if (typeof received !== "object" || received === null) return [at];
  if (Array.isArray(sent)) {
    if (!Array.isArray(received) || sent.length !== received.length) return [at];
    const all = await Promise.all(sent.map((one, index) => differences(one, received[index], defaults, at)));
    return all.flat();
  }
  const own = received as Record<string, unknown>;
  const all = await Promise.all(
    Object.entries(sent).map(([name, one]) => differences(one, own[name], defaults, `${at}/${name}`)),
  );
  const added = Object.entries(own).filter(([name, value]) =>
    !Object.hasOwn(sent, name) && value !== undefined && JSON.stringify(defaults.get(name)) !== JSON.stringify(value)
  );
  return [...all.flat(), ...added.map(([name]) => `${at}/${name}`)];
}
