import { Link, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { basePath } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import styles from './navigation.module.css';
import { placeGroups } from './places.ts';

/** Where one can go: beside the page, or on a narrow screen behind a button. */
export function Navigation() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  /** The page on which it was opened. It is closed on any other one. */
  const [openedOn, setOpenedOn] = useState<string | null>(null);
  const isOpen = openedOn === path;
  return (
    <div className={styles.navigation}>
      <Button
        look="quiet"
        className={styles.button}
        aria-expanded={isOpen}
        aria-controls="navigation"
        onClick={() => setOpenedOn(isOpen ? null : path)}
      >
        Menu
      </Button>
      <nav id="navigation" aria-label="Main" className={styles.links} data-open={isOpen || undefined}>
        {placeGroups.map((group) => (
          <ul key={group.label} aria-label={group.label} className={styles.group}>
            {group.places.map(({ to, label }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={styles.link}
                  activeOptions={{ exact: to === '/' }}
                  activeProps={{ className: styles.current }}
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        ))}
        <a href={`${basePath}/docs`} className={styles.link}>
          API
        </a>
      </nav>
    </div>
  );
}
