import { Link } from '@tanstack/react-router';
import styles from './signals-nav.module.css';

/** Between what arrived and what receives it. */
export function SignalsNav() {
  const current = { className: styles.current };
  return (
    <nav aria-label="Signals" className={styles.nav}>
      <Link to="/signals" activeOptions={{ exact: true, includeSearch: false }} activeProps={current}>
        Inbox
      </Link>
      <Link to="/signals/endpoints" activeProps={current}>
        Endpoints
      </Link>
    </nav>
  );
}
