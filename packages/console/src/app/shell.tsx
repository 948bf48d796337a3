import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { basePath } from '../api/client.ts';
import { uiConfigQuery } from '../api/queries.ts';
import { SaveProvider } from '../save/save.tsx';
import { Account } from './account.tsx';
import { Offline } from './offline.tsx';
import styles from './shell.module.css';

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
        <nav aria-label="Main" className={styles.nav}>
          <Link to="/features" className={styles.link} activeProps={{ className: styles.current }}>
            Flags
          </Link>
          <Link to="/projects" className={styles.link} activeProps={{ className: styles.current }}>
            Projects
          </Link>
          <Link to="/playground" className={styles.link} activeProps={{ className: styles.current }}>
            Playground
          </Link>
          <Link to="/events" className={styles.link} activeProps={{ className: styles.current }}>
            Event log
          </Link>
          <a href={`${basePath}/docs`} className={styles.link}>
            API
          </a>
        </nav>
        <Account />
      </header>
      <Offline />
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
  );
}
