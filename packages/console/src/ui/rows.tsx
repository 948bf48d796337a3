import type { ReactNode } from 'react';
import styles from './rows.module.css';

/** A list of things, one below the other. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className={styles.list}>
      {children}
    </ul>
  );
}

/** What names a thing in a list; also the class of a link that does. */
export const rowName = styles.name;

/** The class of what is known of a thing in a list. */
export const rowFacts = styles.quiet;

interface RowProps {
  name: ReactNode;
  description?: string | null;
  /** What is known of it, each a short text. */
  facts?: readonly string[];
  /** What can be done with it. */
  end?: ReactNode;
  children?: ReactNode;
}

export function Row({ name, description, facts = [], end, children }: RowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.text}>
        {name}
        {description && <p>{description}</p>}
        {facts.length > 0 && (
          <p className={styles.quiet}>
            {facts.map((fact, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: facts have no name, and two can be equal
              <span key={place}>{fact}</span>
            ))}
          </p>
        )}
        {children}
      </div>
      {end && <div className={styles.end}>{end}</div>}
    </li>
  );
}
