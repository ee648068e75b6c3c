import { PATIENCE_MS } from "../support/patience.ts";
import type { Depart } from "./departing.ts";

/** ms that a case waits for what must come: half of the time it has in all, so that its own words tell what is missing. */
export const CASE_PATIENCE_MS = PATIENCE_MS / 2;

/** What a runtime may be without; a subject that lacks one of these says why. */
export type Feature =
  | "files"
  | "length"
  | "refusal"
  | "unpacking"
  | "peer"
  | "forwarded"
  | "websocket"
  | "topics"
  | "ping"
  | "buffered"
  | "pieces"
  | "head"
  | "abort"
  | "cancel"
  | "upload";

/** Asks a subject; redirects are not followed. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** What a case may use. */
export interface Visit {
  /** Asks the subject. */
  readonly ask: Ask;
  /** Asks the subject and leaves before it has answered. */
  readonly depart: Depart;
  /** Where the subject is. */
  readonly origin: string;
  /** A name nobody else uses, for flags. */
  readonly flag: string;
  /** Why the subject is without something, `undefined` where it has it. */
  lacks(feature: Feature): string | undefined;
}

/** One behaviour of an application. */
export interface Case {
  /** A sentence. */
  readonly name: string;
  /** What the runtime must have for it. */
  readonly needs: readonly Feature[];
  /** Throws where the subject behaves differently. */
  run(visit: Visit): Promise<void>;
}

/** A chapter of the contract. */
export interface Chapter {
  /** Its title. */
  readonly title: string;
  /** Its cases. */
  readonly cases: readonly Case[];
}

/** What `chapter` gives its callback to state a case; features it needs come last. */
export type State = (name: string, run: (visit: Visit) => Promise<void>, ...needs: Feature[]) => void;

/** Writes a chapter. */
export function chapter(title: string, write: (it: State) => void): Chapter {
  const cases: Case[] = [];
  write((name, run, ...needs) => cases.push({ name, needs, run }));
  return { title, cases };
}

/** Asks and reads the text. */
export async function text(ask: Ask, path: string, init?: RequestInit): Promise<string> {
  return await (await ask(path, init)).text();
}

/** Asks and reads the JSON. */
export async function json(ask: Ask, path: string, init?: RequestInit): Promise<unknown> {
  return await (await ask(path, init)).json();
}

/** Asks and gives the status, the text and the values of some headers. */
export async function seen(ask: Ask, path: string, init?: RequestInit, ...headers: string[]): Promise<unknown[]> {
  const answer = await ask(path, init);
  const values = headers.map((name) => answer.headers.get(name));
  return [answer.status, await answer.text(), ...values];
}

/** Waits until a flag of the program has a value; another request is the only sign. */
export async function flagged(ask: Ask, name: string, value = 1): Promise<void> {
  const late = Date.now() + CASE_PATIENCE_MS;
  while (Number(await text(ask, `/flags/${name}`)) < value) {
    if (Date.now() > late) throw new Error(`The flag ${name} is not raised`);
    // in process, nobody's timers would run between two answers
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Waits until the program has noted so many things of connections with a flag, and gives them. */
export async function noted(ask: Ask, flag: string, count = 1): Promise<unknown[]> {
  const late = Date.now() + CASE_PATIENCE_MS;
  for (;;) {
    const notes = await json(ask, `/socket-notes/${flag}`) as unknown[];
    if (notes.length >= count) return notes;
    if (Date.now() > late) throw new Error(`Only ${notes.length} of ${count} notes: ${JSON.stringify(notes)}`);
  }
}
