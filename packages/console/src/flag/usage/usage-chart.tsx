import { useEffect, useRef, useSyncExternalStore } from 'react';
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { useTheme } from '../../app/theme.ts';
import type { UsagePoint } from './usage-series.ts';

const height = 220;

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

const darkQuery = matchMedia('(prefers-color-scheme: dark)');

const useIsDarkSystem = () =>
  useSyncExternalStore(
    (listener) => {
      darkQuery.addEventListener('change', listener);
      return () => darkQuery.removeEventListener('change', listener);
    },
    () => darkQuery.matches,
  );

interface Props {
  points: UsagePoint[];
  format: (at: number) => string;
}

/** Counts over time, drawn by uPlot. The sentence above it and the table below it say the same. */
export function UsageChart({ points, format }: Props) {
  const place = useRef<HTMLDivElement>(null);
  // A canvas keeps the colours that it was drawn with.
  const [theme, isDarkSystem] = [useTheme(), useIsDarkSystem()];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides the colours
  useEffect(() => {
    const host = place.current!;
    const chart = new uPlot(optionsOf(host, format, points.length), dataOf(points), host);
    const observer = new ResizeObserver(() => chart.setSize({ width: host.clientWidth, height }));
    observer.observe(host);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [points, format, theme, isDarkSystem]);
  return <div ref={place} />;
}

/** The end of the last hour or day is a point more, so that it is as wide as the others. */
function dataOf(points: readonly UsagePoint[]): uPlot.AlignedData {
  const [before, last] = points.slice(-2) as [UsagePoint, UsagePoint];
  const drawn = [...points, { ...last, at: 2 * last.at - before.at }];
  return [drawn.map(({ at }) => at / 1000), drawn.map(({ yes }) => yes), drawn.map(({ no }) => no)];
}

function optionsOf(host: HTMLElement, format: (at: number) => string, pointCount: number): uPlot.Options {
  const stepped = uPlot.paths.stepped!({ align: 1 });
  const axis = { stroke: colourOf(host, '--text-quiet'), grid: { stroke: colourOf(host, '--line'), width: 1 } };
  /** What the legend says of the point below the pointer. */
  const legend =
    (words: (value: number) => string) =>
    (_chart: uPlot, value: number | null, _series: number, index: number | null) =>
      value === null || index === null || index >= pointCount ? '–' : words(value);
  const count = legend((value) => value.toLocaleString());
  return {
    width: host.clientWidth,
    height,
    // Room for half of the last label, and for half of the first one beside the 50 px of the axis of counts.
    padding: [null, 56, null, 8],
    series: [
      { label: 'From', value: legend((time) => format(time * 1000)) },
      {
        ...{ label: 'On', paths: stepped, points: { show: false }, width: 2, value: count },
        ...{ stroke: colourOf(host, '--on'), fill: colourOf(host, '--on-faint') },
      },
      {
        ...{ label: 'Off', paths: stepped, points: { show: false }, width: 2, value: count },
        ...{ stroke: colourOf(host, '--danger'), dash: [6, 4] },
      },
    ],
    axes: [
      { ...axis, space: 120, values: (_chart, times) => times.map((time) => format(time * 1000)) },
      { ...axis, values: (_chart, counts) => counts.map((value) => compact.format(value)), incrs: wholeSteps },
    ],
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(4, most * 1.1)] } },
    // Nothing to zoom into: the time is chosen above.
    cursor: { drag: { x: false, y: false } },
  };
}

/** Counts are whole numbers. */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** What a variable of the theme is now. An element that is new has no transition from another colour. */
function colourOf(host: HTMLElement, variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
