/** One application at one size: `worker.ts <contestant> <shape> <size>`; see `support/child.ts`. */
import { besides, type Call } from "../support/batches.ts";
import { answerRounds } from "../support/response_rounds.ts";
import { type Growing, growing } from "./apps.ts";
import { type Shape, SHAPES } from "./shapes.ts";

const BATCHES = 200;

const [contestant = "", shapeName = "", sizeText = ""] = Deno.args;
const size = Number(sizeText);
const shape: Shape = SHAPES[shapeName]!;
const app = await growing(contestant);
const begin = performance.now();
shape.grow(app, size);
const paths = shape.paths(size);
await checked(app, paths[0]!);
const first = performance.now() - begin;

async function checked({ request, answer }: Growing, path: string): Promise<void> {
  const result = await answer(request(path));
  const text = result instanceof Response ? await result.text() : (result as { body: string }).body;
  if (text !== "ok") throw new Error(`${contestant} answers ${path} with ${text}`);
}

if (shapeName === "registration") {
  await answerRounds(() => first);
} else {
  const requests = paths.map(app.request);
  // Express's router creates no response
  const floor: Call = contestant === "express" ? () => ({ body: "ok" }) : () => new Response("ok");
  const batches = await besides(floor, (turn) => app.answer(requests[turn % requests.length]));
  await answerRounds(() => batches(BATCHES));
}
