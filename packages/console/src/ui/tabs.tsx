import { type ReactNode, useEffect, useRef } from 'react';
import styles from './tabs.module.css';

/** What a link of the tabs has when its page is shown. */
export const currentTab = { className: styles.current };

/** Links between pages that belong together. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the current one may be out of sight.
    const current = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    nav.current?.scrollTo({ left: (current?.offsetLeft ?? 0) - nav.current.clientWidth / 3 });
  }, []);
  return (
    <nav ref={nav} aria-label={label} className={styles.nav}>
      {children}
    </nav>
  );
}
