import { type ReactNode, useId } from 'react';
import styles from './section.module.css';

/** A part of a form. */
export function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        {hint !== undefined && <p className={styles.quiet}>{hint}</p>}
      </div>
      <div className={styles.fields}>{children}</div>
    </section>
  );
}
