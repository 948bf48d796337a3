// A curve as SVG. It needs one kind of plot with two lines, which is less code than the smallest library would take to
// configure, and no library of ours has both colour schemes in one file.
import type { Curve, Point } from './curve.ts';

const [width, height] = [640, 360];
const area = { left: 70, right: 620, top: 60, bottom: 300 };

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .quiet { fill: #57606a; font-size: 12px; }
  .back { fill: #ffffff; }
  .grid { stroke: #d0d7de; }
  .figure { stroke: #0969da; fill: #0969da; }
  .baseline { stroke: #bc4c00; fill: #bc4c00; }
  path.figure, path.baseline { fill: none; stroke-width: 2; }
  path.baseline { stroke-dasharray: 6 4; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #9198a1; }
    .back { fill: #0d1117; }
    .grid { stroke: #3d444d; }
    .figure { stroke: #4493f8; fill: #4493f8; }
    .baseline { stroke: #f0883e; fill: #f0883e; }
  }`;

/** Draws the figures and their baseline over a logarithmic axis if they span more than a factor of 50. */
export function svgOf(curve: Curve, measured: string): string {
  const xs = curve.points.map(({ x }) => x);
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const scaled = last / first > 50 ? Math.log : Number;
  const top = niceAbove(Math.max(...curve.points.flatMap(({ figure, baseline }) => [figure, baseline])));
  const atX = (x: number) =>
    area.left + ((scaled(x) - scaled(first)) / (scaled(last) - scaled(first) || 1)) * (area.right - area.left);
  const atY = (y: number) => area.bottom - (y / top) * (area.bottom - area.top);

  const rows = [0, 0.25, 0.5, 0.75, 1].map((part) => part * top);
  const grid = rows.map(
    (y) =>
      `<path class="grid" d="M${area.left} ${round(atY(y))}H${area.right}"/>` +
      text(area.left - 8, atY(y) + 4, short(y), 'quiet', 'end'),
  );
  const places = xs.map((x) => text(atX(x), area.bottom + 18, short(x), 'quiet', 'middle'));
  const line = (kind: 'figure' | 'baseline') => {
    const at = (point: Point) => `${round(atX(point.x))} ${round(atY(point[kind]))}`;
    const dots = curve.points.map(
      (point) => `<circle class="${kind}" cx="${round(atX(point.x))}" cy="${round(atY(point[kind]))}" r="3"/>`,
    );
    return `<path class="${kind}" d="M${curve.points.map(at).join('L')}"/>${dots.join('')}`;
  };
  const key = (kind: 'figure' | 'baseline', x: number, label: string) =>
    `<path class="${kind}" d="M${x} 41h24"/>${text(x + 30, 45, label)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">`,
    `<title>${escaped(curve.title)}</title><style>${style}\n</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    text(area.left, 22, `${curve.title}, ${curve.unit}`, 'title'),
    key('figure', area.left, 'Yardarm'),
    key('baseline', area.left + 120, curve.baseline),
    ...grid,
    ...places,
    line('baseline'),
    line('figure'),
    text((area.left + area.right) / 2, area.bottom + 36, curve.x, '', 'middle'),
    text(area.right, height - 6, measured, 'quiet', 'end'),
    '</svg>\n',
  ].join('\n');
}

function text(x: number, y: number, content: string, kind = '', anchor = 'start'): string {
  const named = kind && ` class="${kind}"`;
  return `<text${named} x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

/** The next number above that is divided by four well. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 2, 4, 6, 8, 10].map((digit) => digit * power).find((nice) => nice >= value)!;
}

const round = (value: number) => Math.round(value * 10) / 10;
const short = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
