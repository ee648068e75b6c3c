import { sha256 } from "@sluice/shared";
import { htmlText } from "../text/escape.ts";
import { durationText, notesOf, percentText, sourceText, timeText } from "./notes.ts";
import type { PolicyReport, SimulationReport } from "./simulation_report.ts";
import { atMostText, policyTitle } from "./text_report.ts";

const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --faint: #5c6670; --line: #d7dce1; --back: #fff; --card: #f6f7f9;
  --pass: #3d7ea6; --stop: #c8432b; }
@media (prefers-color-scheme: dark) { :root { --text: #e7eaed; --faint: #a0abb5; --line: #39424b; --back: #14181c;
  --card: #1d2329; --pass: #6db3dd; --stop: #f0785f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 64rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
.faint, figcaption { color: var(--faint); font-size: .9rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem; margin: 0; padding: 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; }
.figures dt { color: var(--faint); font-size: .85rem; } .figures dd { margin: 0; font-size: 1.25rem; }
.notes { background: var(--card); border-left: .25rem solid var(--pass); padding: .5rem 1rem; }
figure { margin: 0; } svg { display: block; width: 100%; height: auto; }
.pass { fill: var(--pass); } .stop { fill: var(--stop); } .axis { stroke: var(--line); } text { fill: var(--faint);
  font: 11px system-ui, sans-serif; }
@media (max-width: 30rem) { text { font-size: 19px; } }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 .8em; }
.key.pass { background: var(--pass); } .key.stop { background: var(--stop); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; } td.time { white-space: nowrap; }
td.name { min-width: 9rem; overflow-wrap: anywhere; } code { font-family: ui-monospace, monospace; font-size: .9em; }
`;

/**
 * Creates a report as one self-contained page: no script, no requests, and a policy that forbids scripts and requests.
 * Keys and log lines are always shown as plain text.
 *
 * @param report The report
 */
export function htmlReport(report: SimulationReport): string {
  const { policies } = report;
  const hash = btoa(String.fromCharCode(...sha256(new TextEncoder().encode(STYLE))));
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const notes = notesOf(report).map((note) => `<p>${htmlText(note)}</p>`).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>What a rate limit would have done</title>
<style>${STYLE}</style>
</head>
<body>
<h1>What a rate limit would have done</h1>
<p>${htmlText(sourceText(report))}</p>
<div class="notes">${notes}</div>
${policies.map(policySection).join("\n")}
${brokenSection(report)}
</body>
</html>
`;
}

function policySection(policy: PolicyReport): string {
  const { requests, limited, share, keys, keysLimited, keyShare, peaks, binMs } = policy;
  const found = atMostText(policy);
  const figures = [
    ["Requests", String(requests)],
    ["Requests limited", `${limited} (${percentText(share)})`],
    ["Clients", String(keys)],
    ["Clients limited", `${keysLimited} (${percentText(keyShare)})`],
    // over all intervals of that length, even for calendar windows
    ["Highest peak", `${peaks.max} in ${policy.window === undefined ? "" : "any "}${durationText(policy.windowMs)}`],
  ].map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`);
  return `<section>
<h2>${htmlText(policyTitle(policy))}</h2>
<dl class="figures">${figures.join("")}</dl>
${found === undefined ? "" : `<p>${htmlText(found)}</p>`}
<h3>Requests over time</h3>
<figure>${timeChart(policy)}
<figcaption>Requests per ${
    durationText(binMs)
  }<span class="key pass"></span>admitted<span class="key stop"></span>limited</figcaption></figure>
<h3>Peaks of clients</h3>
<figure>${peakChart(policy)}
<figcaption>Clients by the most they asked for in one window: 90 % up to ${peaks.p90}, 99 % up to ${peaks.p99}</figcaption></figure>
${keyTable(policy)}
</section>`;
}

const WIDTH = 640;
const HEIGHT = 190;
const FLOOR = HEIGHT - 26;
const CEILING = 26;

// a tenth of a pixel is enough, and keeps the page small
function round(number: number): number {
  return Math.round(number * 10) / 10;
}

function svg(label: string, inner: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${htmlText(label)}">${inner}` +
    `<line class="axis" x1="0" x2="${WIDTH}" y1="${FLOOR}" y2="${FLOOR}"/></svg>`;
}

function timeChart({ bins, name }: PolicyReport): string {
  const highest = bins.reduce((most, { requests }) => Math.max(most, requests), 1);
  const width = WIDTH / Math.max(1, bins.length);
  const scale = (FLOOR - CEILING) / highest;
  const bars = bins.map(({ ms, requests, limited }, i) => {
    if (requests === 0) return "";
    const stop = limited * scale;
    const pass = (requests - limited) * scale;
    const x = round(i * width);
    const w = round(Math.max(0.5, width * 0.9));
    const top = `<rect class="stop" x="${x}" y="${round(FLOOR - pass - stop)}" width="${w}" height="${round(stop)}"/>`;
    return `<g><title>${timeText(ms)}: ${requests} requests, ${limited} limited</title>` +
      `<rect class="pass" x="${x}" y="${round(FLOOR - pass)}" width="${w}" height="${round(pass)}"/>` +
      `${limited === 0 ? "" : top}</g>`;
  });
  const ends = bins.length === 0 ? "" : `<text x="0" y="${HEIGHT - 6}">${timeText(bins[0]!.ms)}</text>` +
    `<text x="${WIDTH}" y="${HEIGHT - 6}" text-anchor="end">${timeText(bins.at(-1)!.ms)}</text>`;
  return svg(`Requests over time for ${name}`, `${bars.join("")}${ends}<text x="0" y="16">${highest}</text>`);
}

function peakChart({ peakCounts, limit, name }: PolicyReport): string {
  const highest = peakCounts.reduce((most, { keys }) => Math.max(most, keys), 1);
  const width = WIDTH / Math.max(1, peakCounts.length);
  const bars = peakCounts.map(({ upTo, keys }, i) => {
    // one client among thousands must also be visible
    const height = keys === 0 ? 0 : Math.max(1.5, keys / highest * (FLOOR - CEILING));
    const x = round(i * width);
    return `<g><title>up to ${upTo}: ${keys} clients</title>` +
      `<rect class="${upTo <= limit ? "pass" : "stop"}" x="${x}" y="${round(FLOOR - height)}" ` +
      `width="${round(width * 0.9)}" height="${round(height)}"/>` +
      `<text x="${round(x + width * 0.45)}" y="${round(FLOOR - height - 3)}" text-anchor="middle">${
        keys || ""
      }</text>` +
      `<text x="${round(x + width * 0.45)}" y="${HEIGHT - 6}" text-anchor="middle">${upTo}</text></g>`;
  });
  return svg(`Number of clients by their peaks, for ${name}`, bars.join(""));
}

function keyTable({ top }: PolicyReport): string {
  if (top.length === 0) return "";
  const time = (ms: number | null) => `<td class="time">${ms === null ? "never" : timeText(ms)}</td>`;
  const rows = top.map(({ key, requests, limited, peak, firstLimitedMs, lastLimitedMs }) =>
    `<tr><td class="name"><code>${htmlText(key)}</code></td>` +
    [requests, limited, peak].map((number) => `<td class="number">${number}</td>`).join("") +
    `${time(firstLimitedMs)}${time(lastLimitedMs)}</tr>`
  );
  return `<h3>Clients</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Clients"><table>
<thead><tr><th>client</th><th class="number">requests</th><th class="number">limited</th><th class="number">peak</th>` +
    `<th>first limited</th><th>last limited</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table></div>`;
}

function brokenSection({ log: { firstBroken } }: SimulationReport): string {
  if (firstBroken.length === 0) return "";
  const items = firstBroken.map(({ file, line, reason, text }) =>
    `<li>${htmlText(file)}:${line}: ${htmlText(reason)}: <code>${htmlText(text)}</code></li>`
  );
  return `<section><h2>Lines that could not be read</h2><ul>${items.join("\n")}</ul></section>`;
}
