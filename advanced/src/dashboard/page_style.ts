export const STYLE = `
:root { color-scheme: light dark; --ink: #10222b; --quiet: #4b626c; --paper: #f6f8f9; --card: #fff; --line: #cfdadf;
  --water: #1f7a8c; --on-water: #fff; --admitted: #1a7f4e; --limited: #c2382e; font: 16px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4edf0; --quiet: #9db2ba; --paper: #0e1a20; --card: #16262e;
  --line: #2c424c; --water: #5cc1d3; --on-water: #06222a; --admitted: #4cc38a; --limited: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 0 1rem 2rem; color: var(--ink); background: var(--paper); }
header { display: flex; align-items: center; justify-content: space-between; gap: .75rem;
  border-bottom: 2px solid var(--water); }
h1 { font-size: 1.4rem; } h2 { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .75rem; margin: 0;
  font-size: 1.2rem; overflow-wrap: anywhere; } h3 { margin: 1.2rem 0 .3rem; font-size: 1rem; }
#note { min-height: 1.5em; margin: .5rem 0; overflow-wrap: anywhere; }
section { margin: 1rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.quiet, footer, figcaption { color: var(--quiet); font-size: .9rem; } p.quiet { margin: .2rem 0; }
.store { padding: 0 .6rem; font-size: .85rem; font-weight: 600; border: 1px solid; border-radius: 1rem;
  color: var(--admitted); } .store.bad { color: var(--limited); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .6rem; margin: .8rem 0; }
dl div { padding: .3rem .6rem; border: 1px solid var(--line); border-radius: .4rem; }
dt { color: var(--quiet); font-size: .85rem; } dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
figure { margin: 0; } svg { display: block; width: 100%; height: 9rem; border-bottom: 1px solid var(--line); }
.admitted { fill: var(--admitted); } .limited { fill: var(--limited); }
figcaption span { display: inline-block; margin-right: .8em; }
.legend::before { content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .3em; border-radius: 2px; }
.legend.admitted::before { background: var(--admitted); } .legend.limited::before { background: var(--limited); }
.scroll { overflow-x: auto; } table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .3rem .6rem .3rem 0; text-align: left; border-bottom: 1px solid var(--line); }
th.number, td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { position: sticky; right: 0; padding-right: 0; background: var(--card); }
@media (min-width: 40rem) { th, td { padding-right: 1.2rem; } }
td.key { min-width: 6rem; overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
form { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem; margin-top: 1rem; }
label { flex: 1 1 12rem; font-size: .9rem; color: var(--quiet); }
input { display: block; width: 100%; padding: .45rem .6rem; font: inherit; color: var(--ink); background: var(--paper);
  border: 1px solid var(--quiet); border-radius: .4rem; }
button { padding: .45rem .9rem; font: inherit; font-weight: 600; color: var(--on-water); background: var(--water);
  border: 0; border-radius: .4rem; cursor: pointer; } td button { padding: .1rem .6rem; font-size: .9em; }
:focus-visible { outline: 3px solid var(--water); outline-offset: 2px; }
[hidden] { display: none !important; }
`;
