import { lazy, Suspense } from 'react';
import styles from './usage.module.css';
import { isByDay, type UsagePoint, usageInWords } from './usage-series.ts';

const Chart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }));

const hourFormat = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
/** Days are those of UTC. */
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

interface Props {
  name: string;
  hours: number;
  points: UsagePoint[];
}

/** The usage in one environment: in words, as a chart, and as a table. */
export function UsageOfEnvironment({ name, hours, points }: Props) {
  const [format, unit] = isByDay(hours) ? [dayFormat, 'day (UTC)'] : [hourFormat, 'hour'];
  const used = points.filter(({ yes, no }) => yes + no > 0).reverse();
  return (
    <section className={styles.environment} aria-labelledby={`usage-${name}`}>
      <h2 id={`usage-${name}`}>{name}</h2>
      <p>{usageInWords(points, format.format, unit)}</p>
      <div className={styles.chart} aria-hidden="true">
        <Suspense>
          <Chart points={points} format={format.format} />
        </Suspense>
      </div>
      <details>
        <summary>The numbers of the chart in {name} as a table</summary>
        <table className={styles.table}>
          <caption>By {unit}, newest first. Those without an evaluation are left out.</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">On</th>
              <th scope="col">Off</th>
            </tr>
          </thead>
          <tbody>
            {used.map(({ at, yes, no }) => (
              <tr key={at}>
                <th scope="row">
                  <time dateTime={new Date(at).toISOString()}>{format.format(at)}</time>
                </th>
                <td>{yes.toLocaleString()}</td>
                <td>{no.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
