import { useSyncExternalStore } from 'react';
import styles from './shell.module.css';

function listen(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** Says above every page that the browser has no network. */
export function Offline() {
  const isOnline = useSyncExternalStore(listen, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className={styles.notice}>
          This browser is offline. The page shows what was read before, and changes are refused until it is online.
        </p>
      )}
    </div>
  );
}
