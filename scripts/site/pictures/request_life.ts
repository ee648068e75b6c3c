import { label, picture } from "./style.ts";

const [LEFT, WIDTH, HEIGHT] = [250, 300, 40];

/** The layers a request passes, in order: registration, and effect. */
const LAYERS: readonly (readonly [code: string, says: string])[] = [
  ["app.use(log())", "middleware for every path"],
  ['app.use("/api", rateLimit())', "middleware below a path"],
  ["api.use(signedIn)", "middleware of a mounted router"],
  ['api.get("/users/:id", …)', "the handler of a route"],
];

/** Draws a request's path from the runtime and back to it. */
export function requestLife(): string {
  const top = (i: number) => 122 + i * 66;
  const last = top(LAYERS.length - 1);
  const middle = LEFT + WIDTH / 2;
  const right = LEFT + WIDTH;
  const layers = LAYERS.flatMap(([code, says], i) => [
    box(LEFT, top(i), WIDTH, HEIGHT),
    label(LEFT + 14, top(i) + 17, code, "code"),
    label(LEFT + 14, top(i) + 32, says, "quiet"),
    ...i < LAYERS.length - 1 ? [arrow(`M${middle} ${top(i) + HEIGHT}`, middle, top(i + 1), "down")] : [],
    ...i < LAYERS.length - 1 ? [label(middle + 10, top(i) + HEIGHT + 17, "next()", "code quiet")] : [],
    // each layer may fail
    `<path class="fails" d="M${right} ${top(i) + HEIGHT / 2}H620"/>`,
  ]);
  return picture("The life of a request", 860, 520, [
    label(20, 28, "The life of a request", "title"),
    label(20, 46, "One ordered list of layers; the first that responds ends it.", "quiet"),
    box(LEFT, 62, WIDTH, 34),
    label(middle, 84, "app.fetch(request)", "code", "middle"),
    arrow(`M${middle} 96`, middle, top(0), "down"),
    label(middle + 10, 113, "req and res are made of it", "quiet"),
    ...layers,
    // responses
    arrow(`M${LEFT} ${last + HEIGHT / 2}H130`, 130, last + 78, "down"),
    label(146, last + 14, "res.json(…)", "code quiet"),
    label(146, last + 36, "or a Response", "quiet"),
    `<path class="water" d="M${LEFT} ${top(1) + HEIGHT / 2}H130V${last + 30}"/>`,
    label(146, top(1) + 14, "429, 401 …", "quiet"),
    `<path class="water" d="M${LEFT} ${top(2) + HEIGHT / 2}H130"/>`,
    box(20, last + 78, 220, 56),
    label(130, last + 101, "one Response", "strong", "middle"),
    label(130, last + 119, "then “finish” and “close”", "quiet", "middle"),
    // no handler responded
    arrow(`M${middle} ${last + HEIGHT}`, middle, last + 78, "down"),
    label(middle + 10, last + HEIGHT + 24, "next(), and no layer is left", "quiet"),
    box(LEFT + 50, last + 78, 200, 56),
    label(middle, last + 101, "404", "strong", "middle"),
    label(middle, last + 119, "OPTIONS: the list of methods", "quiet", "middle"),
    arrow(`M${LEFT + 50} ${last + 106}`, 240, last + 106, "left"),
    // errors
    `<path class="fails" d="M620 ${top(0) + HEIGHT / 2}V${top(2) - 2}"/>`,
    `<path class="fails" d="M620 ${last + HEIGHT / 2}V${top(2) + 56}"/>`,
    label(632, top(0) + 16, "throw, next(error),", "quiet"),
    label(632, top(0) + 32, "or a promise that rejects", "quiet"),
    box(580, top(2) - 2, 260, 58),
    label(594, top(2) + 17, "(err, req, res, next) => …", "code"),
    label(594, top(2) + 35, "error handlers behind the layer respond, or", "quiet"),
    `<path class="fails" d="M710 ${top(2) + 56}V${last + 70}"/>`,
    `<path class="tip-fails" d="M705 ${last + 70}h10l-5 8z"/>`,
    label(720, last + 42, "next(error)", "code quiet"),
    box(600, last + 78, 220, 56),
    label(710, last + 101, "the error page", "strong", "middle"),
    label(710, last + 119, "err.status, or 500", "quiet", "middle"),
    `<path class="water" d="M710 ${last + 134}V${last + 158}H130V${last + 142}"/>`,
    `<path class="tip" d="M125 ${last + 142}h10l-5 -8z"/>`,
  ]);
}

function box(x: number, y: number, width: number, height: number): string {
  return `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="5"/>`;
}

/** A line with an arrowhead at its end. */
function arrow(start: string, x: number, y: number, direction: "down" | "left"): string {
  const end = direction === "down" ? `V${y - 8}` : `H${x + 8}`;
  const tip = direction === "down" ? `M${x - 5} ${y - 8}h10l-5 8z` : `M${x + 8} ${y - 5}v10l-8 -5z`;
  return `<path class="water" d="${start}${end}"/><path class="tip" d="${tip}"/>`;
}
