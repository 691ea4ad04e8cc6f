#include "reports/html_style.h"

namespace flashgate::reports {

std::string_view html_style()
{
  return R"css(
:root { color-scheme: light dark;
  --page: #ffffff; --panel: #f6f7f8; --line: #dcdfe3; --text: #1d2126; --soft: #5a636e; --link: #00599c;
  --good: #00619a; --good-fill: #e6f1f8; --bad: #a94800; --bad-fill: #fcece1; --bad-line: #d55e00;
  --warning: #7a5200; --warning-fill: #fdf3dc; --warning-line: #e69f00; --neutral: #5a636e; --neutral-fill: #eef0f2; }
@media (prefers-color-scheme: dark) { :root {
  --page: #15181c; --panel: #1d2126; --line: #343a42; --text: #e4e7eb; --soft: #a2abb6; --link: #7cc0f2;
  --good: #7cc0f2; --good-fill: #16303f; --bad: #ffab7a; --bad-fill: #3b2317; --bad-line: #e8762c;
  --warning: #f3c766; --warning-fill: #3a2f14; --warning-line: #c98f10; --neutral: #a2abb6; --neutral-fill: #262b31; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.55 system-ui, sans-serif; }
a { color: var(--link); text-underline-offset: 2px; }
code { font: 0.87em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  unicode-bidi: isolate; overflow-wrap: anywhere; }
.top { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; align-items: baseline;
  padding: 0.6rem max(1.25rem, calc(50vw - 35rem)); background: var(--page); border-bottom: 1px solid var(--line); }
.top strong { white-space: nowrap; }
.top nav { display: flex; flex-wrap: wrap; gap: 0 1.1rem; font-size: 0.92em; }
.top nav a { color: var(--soft); text-decoration: none; }
.top nav a:hover { color: var(--link); text-decoration: underline; }
main { max-width: 72.5rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.35rem; line-height: 1.35; margin: 0; font-weight: 650; }
h2 { font-size: 1.1rem; margin: 2.6rem 0 0.8rem; font-weight: 650; }
h3 { font-size: 1rem; margin: 1.8rem 0 0.3rem; font-weight: 650; }
h4 { font-size: 0.92rem; margin: 1.1rem 0 0.4rem; font-weight: 600; }
h4 span { font-weight: 400; color: var(--soft); }
p { margin: 0.4rem 0; max-width: 48rem; }
.soft { color: var(--soft); }
.banner { padding: 1.1rem 1.3rem; border-radius: 8px; border-left: 6px solid; background: var(--panel); }
.banner.good { border-color: var(--good); background: var(--good-fill); }
.banner.bad { border-color: var(--bad-line); background: var(--bad-fill); }
.banner.warning { border-color: var(--warning-line); background: var(--warning-fill); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.7rem; margin: 1rem 0; padding: 0; }
.tiles div { padding: 0.6rem 0.9rem; border: 1px solid var(--line); border-radius: 8px; }
.tiles dt { color: var(--soft); font-size: 0.85em; }
.tiles dd { margin: 0; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.good { color: var(--good); } .bad { color: var(--bad); } .warning { color: var(--warning); } .neutral { color: var(--neutral); }
.banner h1, .banner p { color: var(--text); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.45rem 0.7rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child > * { border-bottom: 0; }
thead th { background: var(--panel); font-weight: 600; font-size: 0.9em; white-space: nowrap; }
th[scope=row] { font-weight: 500; }
abbr { text-decoration: none; cursor: help; }
.matrix td, .matrix thead th + th { text-align: right; white-space: nowrap; }
.matrix tbody th { position: sticky; left: 0; background: var(--page); white-space: nowrap; }
.matrix td.bad { background: var(--bad-fill); font-weight: 600; } .matrix td.warning { background: var(--warning-fill); }
.matrix td a { color: inherit; text-decoration: none; } .matrix td a:hover { text-decoration: underline; }
.matrix td small { display: block; font-weight: 400; color: var(--soft); }
.number { text-align: right; } .number, .line { white-space: nowrap; }
.class { margin: 0.5rem 0; padding: 0.55rem 0.9rem; border: 1px solid var(--line); border-left: 4px solid var(--line);
  border-radius: 6px; break-inside: avoid; }
.class.bad { border-left-color: var(--bad-line); color: inherit; }
.class p { margin: 0.15rem 0; max-width: none; }
.class b { font-weight: 600; } .class .soft code { color: var(--text); }
.class .repro { display: block; margin-top: 0.3rem; padding: 0.3rem 0.6rem; background: var(--panel); border-radius: 4px;
  user-select: all; }
.tag { display: inline-block; padding: 0 0.5em; border-radius: 1em; font-size: 0.85em; background: var(--neutral-fill);
  color: var(--neutral); white-space: nowrap; }
.tag.bad { background: var(--bad-fill); color: var(--bad); font-weight: 600; }
.graphs details { margin: 0.4rem 0; padding: 0.5rem 0.9rem; border: 1px solid var(--line); border-radius: 6px; }
.graphs img { display: block; max-width: 100%; margin-top: 0.6rem; background: #ffffff; border-radius: 4px; }
summary { cursor: pointer; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.2rem; margin: 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) { .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: 0.5rem; }
  .top { position: static; } th, td { padding: 0.4rem 0.5rem; } }
@media print { .top { position: static; } .top nav, .graphs img { display: none; } body { font-size: 10pt; }
  main { max-width: none; padding: 0; } .scroll { overflow: visible; } }
)css";
}

}  // namespace flashgate::reports
