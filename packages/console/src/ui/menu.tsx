import { Menu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import styles from './menu.module.css';

/** What a menu shows when it is open. Within `Menu.Root`, beside its trigger. */
export function MenuList({ align = 'end', children }: { align?: 'start' | 'end'; children: ReactNode }) {
  return (
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align={align} className={styles.positioner}>
        <Menu.Popup className={styles.popup}>{children}</Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}

interface ItemProps {
  onClick: () => void;
  /** Why it cannot be chosen, as a sentence. */
  offBecause?: string | null;
  isDangerous?: boolean;
  children: ReactNode;
}

export function MenuItem({ onClick, offBecause, isDangerous = false, children }: ItemProps) {
  return (
    <Menu.Item
      className={`${styles.item} ${isDangerous ? styles.danger : ''}`}
      aria-disabled={offBecause ? true : undefined}
      closeOnClick={!offBecause}
      onClick={() => !offBecause && onClick()}
    >
      {children}
      {offBecause && <span className={styles.reason}>{offBecause}</span>}
    </Menu.Item>
  );
}
