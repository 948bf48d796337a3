import type { ReactNode } from 'react';
import styles from './filter-row.module.css';

interface Props {
  children: ReactNode;
  /** Called when a control may be used: the pointer or the focus is there. */
  onNear?: () => void;
}

/** The controls that narrow a list. The first one gets the most room. */
export function FilterRow({ children, onNear }: Props) {
  return (
    <search className={styles.row} onPointerEnter={onNear} onFocus={onNear}>
      {children}
    </search>
  );
}
