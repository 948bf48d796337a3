import type { ReactNode } from 'react';
import styles from './step.module.css';

interface Props {
  number: number;
  title: string;
  /** What the step is for, before its turn. */
  about?: string;
  state: 'done' | 'current' | 'later';
  /** Not shown before its turn. */
  children: ReactNode;
}

/** A step of the first run. Its mark and its words say whether it is done. */
export function Step({ number, title, about, state, children }: Props) {
  return (
    <li className={`${styles.step} ${styles[state]}`} aria-current={state === 'current' ? 'step' : undefined}>
      <span className={styles.number} aria-hidden="true">
        {state === 'done' ? '✓' : number}
      </span>
      <h2>
        {title}
        {state === 'done' && <span className="visually-hidden"> (done)</span>}
      </h2>
      <div className={styles.body}>{state === 'later' ? <p className={styles.about}>{about}</p> : children}</div>
    </li>
  );
}
