import { Menu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import styles from './menu.module.css';
import { MenuList } from './menu.tsx';

/** What can be done with a thing of a list. `label` names the thing. */
export function MoreMenu({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Menu.Root>
      <Menu.Trigger className={styles.more} aria-label={`What to do with ${label}`}>
        <span aria-hidden="true">⋯</span>
      </Menu.Trigger>
      <MenuList>{children}</MenuList>
    </Menu.Root>
  );
}
