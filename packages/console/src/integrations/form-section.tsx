import { type ReactNode, useId } from 'react';
import styles from './integration-form.module.css';

/** A part of the form of an integration. */
export function FormSection({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
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
