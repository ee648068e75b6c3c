/** Shared style for the documentation's pictures: the demo's colours, light or dark by the reader's system. */

const LIGHT = {
  ink: "#10222b",
  quiet: "#4b626c",
  line: "#c9d5da",
  paper: "#ffffff",
  water: "#1f7a8c",
  pale: "#e3eff2",
};
const DARK = { ink: "#e4edf0", quiet: "#a3b6be", line: "#33474f", paper: "#0e1a20", water: "#6cc3d5", pale: "#173038" };
const LIGHT_STATES = { admitted: "#1a7f4e", limited: "#c2382e" };
const DARK_STATES = { admitted: "#4cc38a", limited: "#ff8178" };

/**
 * Draws a picture.
 *
 * @param title Its text alternative
 * @param width Its width
 * @param height Its height
 * @param content Its content
 */
export function picture(title: string, width: number, height: number, content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${title}</title>`,
    "<style>",
    "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:var(--ink)}",
    ".code{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}",
    ".quiet{fill:var(--quiet);font-size:11px}.strong{font-weight:600}.title{font-size:16px;font-weight:600}",
    ".paper{fill:var(--paper)}.box{fill:var(--pale);stroke:var(--water)}.line{stroke:var(--line);fill:none}",
    ".water{stroke:var(--water);fill:none;stroke-width:1.5}.area{fill:var(--water);opacity:.25}",
    ".limit{stroke:var(--ink);stroke-dasharray:4 3}.tip{fill:var(--water)}",
    ".admitted{fill:var(--admitted)}.limited{fill:var(--limited)}.fails{stroke:var(--limited);fill:none;stroke-dasharray:5 3}",
    ".tip-fails{fill:var(--limited)}",
    `svg{${properties({ ...LIGHT, ...LIGHT_STATES })}}`,
    `@media (prefers-color-scheme:dark){svg{${properties({ ...DARK, ...DARK_STATES })}}}`,
    "</style>",
    `<rect class="paper" width="${width}" height="${height}" rx="6"/>`,
    ...content,
    "</svg>",
    "",
  ].join("\n");
}

/** Text at a point. */
export function label(x: number, y: number, text: string, classes = "", anchor = "start"): string {
  const shown = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const names = classes === "" ? "" : ` class="${classes}"`;
  return `<text${names} x="${x}" y="${y}"${anchor === "start" ? "" : ` text-anchor="${anchor}"`}>${shown}</text>`;
}

function properties(values: Readonly<Record<string, string>>): string {
  return Object.entries(values).map(([name, value]) => `--${name}:${value}`).join(";");
}
