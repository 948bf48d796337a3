import type { Schemas } from '../../api/client.ts';
import styles from './gauges.module.css';
import { gaugeLabel } from './status-words.ts';

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** How far a process is behind, and what else it measures. */
export function Gauges({ gauges }: Pick<Schemas['processSchema'], 'gauges'>) {
  if (gauges.length === 0) return null;
  return (
    <details>
      <summary>What it measures</summary>
      <dl className={styles.facts}>
        {gauges.map((gauge) => (
          <div key={gaugeLabel(gauge)}>
            <dt>{gaugeLabel(gauge)}</dt>
            <dd>{number.format(gauge.value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
