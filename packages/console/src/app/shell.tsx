import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { uiConfigQuery } from '../api/queries.ts';
import { SaveProvider } from '../save/save.tsx';
import { Account } from './account.tsx';
import { Banners } from './banners.tsx';
import { Navigation } from './navigation.tsx';
import { Offline } from './offline.tsx';
import styles from './shell.module.css';
import { Shortcuts } from './shortcuts/shortcuts.tsx';

/** The frame of every page: where one can go, who is logged in, and what concerns the whole instance. */
export function Shell() {
  const { data: config } = useQuery(uiConfigQuery);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          Yardarm
        </Link>
        <Shortcuts />
        <Account />
      </header>
      <Navigation />
      <div className={styles.content}>
        <Offline />
        <Banners />
        {config?.maintenanceMode && (
          <p className={styles.notice} role="status">
            Maintenance mode is on. Everything can be read; changes are refused.
          </p>
        )}
        <main id="main" className={styles.main} tabIndex={-1}>
          <SaveProvider>
            <Outlet />
          </SaveProvider>
        </main>
      </div>
    </div>
  );
}
