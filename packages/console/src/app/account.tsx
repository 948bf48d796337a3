import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '../api/queries.ts';
import { sayMissingPart } from '../ui/toasts.tsx';
import styles from './account.module.css';

const load = () => import('./account-menu.tsx');
const loadAhead = () => void load().catch(() => undefined);

/** The button of the user. Its menu is a fifth of what a first page would load, so it is loaded when it is wanted. */
export function Account() {
  const { data } = useQuery(meQuery);
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof load>> | null>(null);
  const name = data?.user.name ?? data?.user.username ?? data?.user.email ?? '';
  const button = (
    <button
      type="button"
      className={styles.trigger}
      aria-haspopup="menu"
      onPointerEnter={loadAhead}
      onFocus={loadAhead}
      onClick={() => void load().then(setLoaded, sayMissingPart)}
    >
      <span className="visually-hidden">Account of {name}</span>
      <span className={styles.initials} aria-hidden="true">
        {initialsOf(name)}
      </span>
    </button>
  );
  return loaded === null ? button : <loaded.AccountMenu name={name} button={button} />;
}

/** Two letters at most. The API's pictures are of another host. */
function initialsOf(name: string): string {
  const words = name.split(/[\s@._-]+/).filter(Boolean);
  return (words.length > 1 ? `${words[0]![0]}${words[1]![0]}` : name.slice(0, 2)).toUpperCase();
}
