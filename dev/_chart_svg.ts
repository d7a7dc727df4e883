/**
 * Draws a bar chart as SVG: text that needs nothing else, for light and dark pages, wide and narrow ones.
 *
 * @module
 */

/** A chart. */
export interface Chart {
  readonly title: string;
  /** What the numbers are: `times the CPU of a hand-written server`. */
  readonly unit: string;
  readonly better: "lower" | "higher";
  /** Bars longer than this are cut; their numbers say how long they are. @default none */
  readonly most?: number | undefined;
  /** Where a line is drawn: 1 for ratios. @default none */
  readonly line?: number | undefined;
  readonly groups: readonly BarGroup[];
}

/** Bars that belong together. */
export interface BarGroup {
  /** The heading; empty for a chart of one group. */
  readonly name: string;
  readonly bars: readonly Bar[];
}

/** A bar. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  /** Whether it is of this package: bold, and in another color. */
  readonly ours: boolean;
}

/** Narrow enough that a phone shades off little of the text's size. */
const WIDTH = 420;
const MARGIN = 14;
const LINE = 18;
const BAR = 11;
/** Room for a number behind the longest bar. */
const NUMBER = 50;
/** Longest name that stands before its bar, in characters; others stand above it. */
const SHORT = 16;
/** Width of a character, and of a bold one. */
const CHAR = 6.6;
const BOLD_CHAR = 7.6;

const STYLE = `
    svg { color-scheme: light dark }
    text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328;
      paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
    .title { font-size: 14px; font-weight: 600 }
    .unit { fill: #59636e }
    .group, .ours { font-weight: 600 }
    .page { fill: #ffffff }
    .bar { fill: #818b98 }
    .bar.ours { fill: #0969da }
    .line { stroke: #1f2328; stroke-dasharray: 2 3 }
    .cut { stroke: #ffffff; stroke-width: 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; stroke: #0d1117 }
      .unit { fill: #9198a1 }
      .page { fill: #0d1117 }
      .bar { fill: #656c76 }
      .bar.ours { fill: #4493f8 }
      .line { stroke: #f0f6fc }
      .cut { stroke: #0d1117 }
    }
  `;

/** Draws a chart. */
export function drawChart(chart: Chart): string {
  const { title, unit, better, groups, line } = chart;
  const bars = groups.flatMap((group) => group.bars);
  const longest = Math.max(...bars.map(({ name }) => name.length));
  const above = longest > SHORT;
  const widths = bars.map(({ name, ours }) => name.length * (ours ? BOLD_CHAR : CHAR));
  const left = above ? MARGIN : MARGIN + Math.ceil(Math.max(...widths)) + 6;
  const most = Math.min(chart.most ?? Infinity, Math.max(...bars.map(({ value }) => value)));
  const scale = (WIDTH - MARGIN - NUMBER - left) / most;

  const drawn: string[] = [];
  let y = MARGIN;
  const write = (text: string, kind: string, x = MARGIN) => {
    y += LINE;
    drawn.push(textAt({ x, y: y - 5, kind, text }));
  };
  for (const part of wrap(title, 46)) write(part, "title");
  for (const part of wrap(`${unit}; ${better} is better`, 60)) write(part, "unit");
  const top = y;
  for (const { name, bars } of groups) {
    y += 6;
    if (name !== "") write(name, "group");
    for (const bar of bars) {
      if (above) write(bar.name, bar.ours ? "ours" : "", MARGIN);
      else {drawn.push(
          textAt({ x: MARGIN, y: y + 13, kind: bar.ours ? "ours" : "", text: bar.name }),
        );}
      drawn.push(...drawBar(bar, { x: left, y, most, scale }));
      y += LINE;
    }
  }
  if (line !== undefined) drawn.unshift(drawLine(left + line * scale, { top, bottom: y }));

  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" ` +
    `width="${WIDTH}" height="${y + MARGIN}" viewBox="0 0 ${WIDTH} ${y + MARGIN}">
  <title id="title">${escape(title)}</title>
  <desc id="desc">${escape(describe(chart))}</desc>
  <style>${STYLE}</style>
  <rect class="page" width="100%" height="100%" rx="6"/>
  ${drawn.join("\n  ")}
</svg>
`;
}

/** The chart in words, with all numbers: for people who do not see it. */
export function describe({ unit, better, groups }: Chart): string {
  const said = groups.map(({ name, bars }) => {
    const numbers = bars.map(({ name, value }) => `${name}: ${format(value)}`).join("; ");
    return name === "" ? numbers : `${name} (${numbers})`;
  });
  return `${unit}; ${better} is better. ${said.join("; ")}.`;
}

interface BarPlace {
  readonly x: number;
  readonly y: number;
  readonly most: number;
  readonly scale: number;
}

function drawBar({ value, ours }: Bar, { x, y, most, scale }: BarPlace): string[] {
  const width = Math.max(1, round(Math.min(value, most) * scale));
  const kind = ours ? "bar ours" : "bar";
  const end = x + width;
  return [
    `<rect class="${kind}" x="${x}" y="${y + 3}" width="${width}" height="${BAR}" rx="2"/>`,
    ...value > most
      ? [`<path class="cut" d="M${end - 14} ${y + 1}l-4 ${BAR + 4}m7 -${BAR + 4}l-4 ${BAR + 4}"/>`]
      : [],
    textAt({ x: end + 5, y: y + 13, kind: ours ? "ours" : "", text: format(value) }),
  ];
}

function drawLine(x: number, { top, bottom }: { top: number; bottom: number }): string {
  return `<path class="line" d="M${round(x)} ${top + 4}V${bottom}"/>`;
}

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly kind: string;
  readonly text: string;
}

function textAt({ x, y, kind, text }: TextPlace): string {
  const named = kind === "" ? "" : ` class="${kind}"`;
  return `<text${named} x="${round(x)}" y="${y}">${escape(text)}</text>`;
}

/** Three digits of a small number, and the whole of a large one. */
function format(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(value >= 10 ? 1 : 2);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
