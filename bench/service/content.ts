/** The service's responses. All contestants compute them with these functions, so that only the framework differs. */

const COLOURS = ["red", "blue", "green", "black", "white", "amber", "ivory", "olive", "coral", "azure"];
const THINGS = ["lamp", "desk", "sofa", "vase", "rug", "bench", "shelf", "clock", "stool", "mirror"];

/** An item for sale. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly stock: number;
  readonly rating: number;
}

/** An item; as JSON about 78 bytes. */
export function itemOf(id: string): Item {
  const number = Number(id);
  return { id, name: nameOf(number), price: number / 100, stock: number % 97, rating: number % 5 + 1 };
}

function nameOf(number: number): string {
  return `A ${COLOURS[number % 10]} ${THINGS[Math.floor(number / 10) % 10]}`;
}

/** An item in a list. */
export interface Listed extends Item {
  readonly url: string;
}

/** A page of items; as JSON about 2 KiB. */
export function pageOf(page: string): { page: number; items: Listed[] } {
  const first = Number(page) * 20;
  const items: Listed[] = [];
  for (let i = first; i < first + 20; i++) {
    const id = String(i);
    items.push({ ...itemOf(id), url: `/items/${id}` });
  }
  return { page: Number(page), items };
}

/** A search result. */
export interface Found {
  readonly query: string;
  readonly sort: string;
  readonly page: number;
  readonly ids: readonly number[];
}

/** Searches for items. */
export function found(query: string, sort: string, page: string): Found {
  const first = Number(page) * 7 + query.length;
  return { query, sort, page: Number(page), ids: [first, first + 11, first + 23, first + 40, first + 62] };
}

/** Finds a token's owner asynchronously, as a database query would. */
export function userOf(authorization: string | null | undefined): Promise<string> {
  if (authorization?.startsWith("Bearer ") !== true) return Promise.reject(new Error("no token"));
  return Promise.resolve(`user-${authorization.slice("Bearer ".length)}`);
}

/** An order, as sent by a client. */
export interface Order {
  readonly item: string;
  readonly count: number;
  readonly note: string;
}

/** A placed order. */
export interface Placed extends Order {
  readonly id: string;
  readonly total: number;
}

/** Places an order. */
export function placed({ item, count, note }: Order): Placed {
  return { id: `${item}-${count}`, item, count, note, total: Number(item) * count / 100 };
}

/** The resources in the application with 100 routes, one route for each. */
export const RESOURCES: readonly string[] = COLOURS.flatMap((colour) => THINGS.map((thing) => `${colour}-${thing}s`));
