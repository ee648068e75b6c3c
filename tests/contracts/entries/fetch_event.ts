/** The program behind a `fetch` event: for edge runtimes and service workers. */
import { buildProgram } from "../program.ts";

/** The part of the event that the program uses. */
interface FetchEventLike {
  readonly request: Request;
  respondWith(response: Response | Promise<Response>): void;
}

const app = buildProgram();
addEventListener("fetch", (event) => {
  const { request } = event as unknown as FetchEventLike;
  (event as unknown as FetchEventLike).respondWith(app.fetch(request, event));
});
