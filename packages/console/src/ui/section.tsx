import { type ReactNode, useId } from 'react';
import styles from './section.module.css';

interface Props {
  title: string;
  hint?: string;
  /** The title has a line of its own, on wide screens too. */
  isStacked?: boolean;
  children: ReactNode;
}

/** A part of a form. */
export function Section({ title, hint, isStacked = false, children }: Props) {
  const id = useId();
  return (
    <section className={`${styles.section} ${isStacked ? styles.stacked : ''}`} aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        {hint !== undefined && <p className={styles.quiet}>{hint}</p>}
      </div>
      <div className={styles.fields}>{children}</div>
    </section>
  );
}
