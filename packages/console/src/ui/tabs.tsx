import type { ReactNode } from 'react';
import styles from './tabs.module.css';

/** What a link of the tabs has when its page is shown. */
export const currentTab = { className: styles.current };

/** Links between pages that belong together. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={styles.nav}>
      {children}
    </nav>
  );
}
