import type { ReactNode } from 'react';
import styles from './filter-row.module.css';

/** The controls that narrow a list. The first one gets the most room. */
export function FilterRow({ children }: { children: ReactNode }) {
  return <search className={styles.row}>{children}</search>;
}
