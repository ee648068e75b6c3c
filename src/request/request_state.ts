import type { SettingValue } from "./app_face.ts";
import type { HeaderRecord } from "./header_record.ts";
import type { ReadableFace } from "./readable_face.ts";
import type { SocketFace } from "./socket_face.ts";

/** Key under which a request keeps what was made of it. */
export const stateKey: unique symbol = Symbol("sluice.state");

/** What has been made of a request since somebody asked for it; most requests are answered without any of it. */
export class RequestState {
  /** Headers as a record. */
  headers: HeaderRecord | null = null;
  /** The connection's face. */
  socket: SocketFace | null = null;
  /** The body's face. */
  readable: ReadableFace | null = null;
  /** What `req.signal` is the signal of. */
  leaving: AbortController | null = null;
  /** Whether `close` and `aborted` will be emitted. */
  announced = false;
  /** The parsed query. */
  query: Record<string, SettingValue> | undefined = undefined;
  /** The text the query was parsed from. */
  queryOf: string | null | undefined = undefined;
  /** The cookies. */
  cookies: Record<string, SettingValue> | undefined = undefined;
}
