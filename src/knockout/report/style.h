// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace knockout::report {

/// The one style sheet of a report. Colours are custom properties: light, dark and paper only set
/// them anew. The colours of the series are told apart by most colour-blind readers and keep a
/// contrast of 3 to 1 on their ground; dash and marker tell them apart without.
inline constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #ffffff; --ink: #1d2127; --soft: #5a626d; --rule: #d5d9df; --grid: #e6e9ed;
  --link: #0b5cad; --cell: #e9ecf0; --missing: #39414c; --reference: #77808b;
  --s0: #0b5cad; --s1: #c8480c; --s2: #16805a; --s3: #8a4fa3; --s4: #96690a; --s5: #b52d6f;
  --s6: #0b8090; --s7: #744a30;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --ink: #e4e7eb; --soft: #a3abb5; --rule: #3a414a; --grid: #272d34;
    --link: #7bb8ff; --cell: #2a3038; --missing: #c3cad3; --reference: #8d96a1;
    --s0: #6cb0ff; --s1: #ff9466; --s2: #5fcfa5; --s3: #cb9fe2; --s4: #e0bb55; --s5: #f58dbd;
    --s6: #58c6d5; --s7: #d0a88b;
  }
}
* { box-sizing: border-box; }
html { background: var(--ground); }
body {
  max-width: 58rem; margin: 0 auto; padding: 2.5rem 1.5rem 3rem; background: var(--ground);
  color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial,
  sans-serif; overflow-wrap: break-word;
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; font-weight: 650; }
h2 {
  font-size: 1.3rem; line-height: 1.3; margin: 3rem 0 .75rem; padding-top: .9rem;
  border-top: 1px solid var(--rule); font-weight: 650;
}
p { margin: 0 0 .8rem; max-width: 44rem; }
a { color: var(--link); }
.summary { font-size: 1.06rem; border-left: 3px solid var(--s0); padding-left: 1rem; }
.summary p:last-child { margin-bottom: 0; }
nav { margin: 1.5rem 0 0; color: var(--soft); font-size: .92rem; }
nav ol { margin: .2rem 0 0; padding-left: 1.4rem; }
nav li { padding-left: .2rem; }
figure { margin: 1.6rem 0; }
figcaption, caption { font-weight: 600; text-align: left; }
figcaption { margin-bottom: .5rem; max-width: 44rem; }
.row {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
  gap: 0 2rem; align-items: start;
}
.scroll { overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; }
.note { color: var(--soft); font-size: .88rem; margin: .4rem 0 0; }
details { margin-top: .5rem; font-size: .88rem; }
summary { color: var(--soft); cursor: pointer; width: fit-content; }
summary:hover { color: var(--ink); }
.block { margin: 1.6rem 0; }
details .scroll { max-height: 26rem; overflow: auto; margin-top: .4rem; }
details thead th { position: sticky; top: 0; background: var(--ground); }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
caption { padding-bottom: .5rem; font-size: 1rem; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: baseline; }
th:last-child, td:last-child { padding-right: .2rem; }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; vertical-align: bottom; }
tbody tr + tr > * { border-top: 1px solid var(--grid); }
tbody th { font-weight: inherit; }
.r { text-align: right; }
td.r { white-space: nowrap; }
td.l, th.l { max-width: 32rem; }
footer {
  margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--rule); color: var(--soft);
  font-size: .88rem;
}
footer h2 { border: 0; margin: 0 0 .5rem; padding: 0; font-size: 1rem; color: var(--ink); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1.2rem; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }

svg text { font-size: 12.5px; fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .tick { fill: var(--soft); }
svg .label { fill: var(--soft); }
svg .value { font-size: 12px; }
svg .strong { font-weight: 700; }
.grid { stroke: var(--grid); fill: none; }
.axis { stroke: var(--soft); fill: none; }
.leader { stroke: var(--rule); fill: none; }
.diagonal { stroke: var(--reference); stroke-dasharray: 3 4; fill: none; }
.line { stroke: var(--colour); fill: none; stroke-linejoin: round; }
.error { stroke: var(--colour); stroke-width: 1.3; fill: none; }
.solid { fill: var(--colour); stroke: var(--ground); stroke-width: .7; }
.hollow { fill: var(--ground); stroke: var(--colour); stroke-width: 1.6; }
.dots { stroke-width: .5; opacity: .75; }
.dots.hollow { stroke-width: 1.1; }
.bar { fill: var(--colour); opacity: .82; }
.interval { stroke: var(--ink); stroke-width: 1.4; fill: none; }
.cell { fill: var(--cell); }
.missing { fill: var(--missing); }
.s0 { --colour: var(--s0); } .s1 { --colour: var(--s1); } .s2 { --colour: var(--s2); }
.s3 { --colour: var(--s3); } .s4 { --colour: var(--s4); } .s5 { --colour: var(--s5); }
.s6 { --colour: var(--s6); } .s7 { --colour: var(--s7); }
.reference { --colour: var(--reference); }

@media print {
  :root {
    color-scheme: light;
    --ground: #ffffff; --ink: #000000; --soft: #333333; --rule: #999999; --grid: #dddddd;
    --link: #000000; --cell: #e4e4e4; --missing: #222222; --reference: #666666;
    --s0: #0b5cad; --s1: #c8480c; --s2: #16805a; --s3: #8a4fa3; --s4: #96690a; --s5: #b52d6f;
    --s6: #0b8090; --s7: #744a30;
  }
  @page { margin: 18mm 16mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; print-color-adjust: exact; }
  h2 { break-after: avoid; }
  svg, tr, .summary, figcaption { break-inside: avoid; }
  figcaption { break-after: avoid; }
  thead { display: table-header-group; }
  .scroll, details .scroll { overflow: visible; max-height: none; }
  svg { min-width: 0 !important; }
  .row { display: block; }
  table { font-size: 8.5pt; }
  details table { font-size: 7.5pt; }
  details th, details td { padding: 1pt 8pt 1pt 0; }
  /* A fold cannot be opened on paper: short tables are printed, long ones stay in the file. */
  details:not(.long)::details-content { content-visibility: visible; display: block; height: auto; }
  details.long > summary::after { content: " (not printed)"; }
}
)css";

}  // namespace knockout::report
