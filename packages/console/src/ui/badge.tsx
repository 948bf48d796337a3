import type { ReactNode } from 'react';
import styles from './badge.module.css';

/** A word about a thing, such as the stage of a flag. */
export function Badge({
  look = 'plain',
  children,
}: {
  look?: 'plain' | 'good' | 'warning' | 'danger';
  children: ReactNode;
}) {
  return <span className={`${styles.badge} ${styles[look]}`}>{children}</span>;
}
