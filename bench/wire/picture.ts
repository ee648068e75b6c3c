import { FLOOR, TITLES } from "./comparison.ts";
import { meanOf, ratioOf, type Row } from "./result.ts";

const PANEL = 430;
const GAP = 30;
const LABEL = 126;
const BAR = 9;
const TOP = 80;
const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif";

/** Distinguishable on white and on black, and without colour by their order. */
const COLOURS: Readonly<Record<string, string>> = {
  "sluice": "#f29a5c",
  "sluice-lean": "#e8590c",
  "hono": "#4c8dd6",
  "h3": "#8a63d2",
  "elysia": "#2f9e6e",
  "fastify": "#2f9e6e",
  "express": "#b08800",
};

/**
 * Draws the results: one panel per kind of client, the mean over the scenarios large, and the scenarios small below it.
 *
 * @param title Heading
 * @param all Results for each kind of client
 * @returns An SVG that needs no fonts, scripts or other files, and follows the reader's light or dark mode
 */
export function picture(title: string, all: readonly (readonly Row[])[]): string {
  const panels = all.map(panel);
  const width = all.length * (PANEL + GAP) - GAP + 2 * GAP;
  const height = Math.max(...panels.map((one) => one.height)) + 20;
  const placed = panels.map(({ svg }, i) => `<g transform="translate(${GAP + i * (PANEL + GAP)} 0)">${svg}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${escape(title)}</title>
<style>
text{${FONT};font-size:12.5px;fill:#24292f}
.quiet{fill:#57606a}.title{font-size:16px;font-weight:600}.panel{font-size:13px;font-weight:600}.mean{font-weight:600}
.axis{stroke:#d0d7de}.floor{stroke:#57606a;stroke-dasharray:3 3}.page{fill:#ffffff}
.figure{paint-order:stroke;stroke:#ffffff;stroke-width:3px}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.axis{stroke:#3d444d}.floor{stroke:#9198a1}.page{fill:#0d1117}.figure{stroke:#0d1117}}
</style>
<rect class="page" width="${width}" height="${height}" rx="6"/>
<text class="title" x="${GAP}" y="28">${escape(title)}</text>
${placed.join("\n")}
</svg>
`;
}

function panel(rows: readonly Row[]): { svg: string; height: number } {
  const present = new Set(rows.flatMap(({ rounds }) => [...rounds.keys()]));
  const others = Object.keys(COLOURS).filter((name) => present.has(name));
  const means = others.map((name) => meanOf(rows, name, FLOOR)!.mean);
  const each = rows.map((row) => ({
    name: row.scenario.title,
    values: others.map((name) => ratioOf(row, name, FLOOR)?.mean ?? 0),
  }));
  const most = Math.max(1, ...means, ...each.flatMap(({ values }) => values));
  const scale = (PANEL - LABEL - 34) / most;
  const parts = [
    `<text class="panel" x="0" y="52">${escape(rows[0]!.client.title)}</text>`,
    `<text class="quiet" x="0" y="67">1.00 is the barest hand-written handler; the means of all scenarios, and each</text>`,
  ];
  const figures: string[] = [];
  let y = TOP;
  means.forEach((value, i) => {
    const name = escape(TITLES.get(others[i]!)!);
    parts.push(`<text class="mean" x="${LABEL - 8}" y="${y + 11}" text-anchor="end">${name}</text>`);
    figures.push(figure(value, y + 11, scale, "mean"));
    parts.push(bar(value, others[i]!, y, 15, scale));
    y += 20;
  });
  y += 8;
  for (const { name, values } of each) {
    const middle = y + values.length * BAR / 2 + 4;
    parts.push(`<text x="${LABEL - 8}" y="${middle}" text-anchor="end">${escape(name)}</text>`);
    values.forEach((value, i) => parts.push(bar(value, others[i]!, y + i * BAR, BAR - 1, scale)));
    figures.push(figure(values[0]!, y + BAR - 1, scale, "quiet"));
    y += values.length * BAR + 9;
  }
  const one = LABEL + scale;
  parts.push(`<path class="axis" d="M${LABEL} ${TOP - 4}V${y}"/><path class="floor" d="M${one} ${TOP - 4}V${y}"/>`);
  // drawn last; otherwise, the line would cross them
  parts.push(...figures);
  parts.push(`<text class="quiet" x="${one}" y="${y + 13}" text-anchor="middle">1.00</text>`);
  return { svg: parts.join("\n"), height: y + 16 };
}

function bar(value: number, contestant: string, y: number, height: number, scale: number): string {
  const colour = COLOURS[contestant]!;
  return `<rect x="${LABEL}" y="${y}" width="${
    (value * scale).toFixed(1)
  }" height="${height}" rx="1" fill="${colour}"/>`;
}

function figure(value: number, y: number, scale: number, name: string): string {
  return `<text class="figure ${name}" x="${(LABEL + value * scale + 5).toFixed(1)}" y="${y}">${
    value.toFixed(2)
  }</text>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
