import type { ReactNode } from 'react';
import styles from './dialog-actions.module.css';

/** The buttons at the end of a dialog, the one that does it last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <footer className={styles.actions}>{children}</footer>;
}
