import { Badge } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { expiryState } from './expiry.ts';

interface Props {
  token: { createdAt: string; seenAt: string | null; expiresAt: string | null };
}

/** When a token was made, last used, and expires. */
export function TokenTimes({ token: { createdAt, seenAt, expiresAt } }: Props) {
  const state = expiryState(expiresAt);
  return (
    <p className={styles.quiet}>
      Made <Time at={createdAt} /> · {seenAt === null ? 'never used' : 'used '}
      {seenAt !== null && <Time at={seenAt} />} ·{' '}
      {expiresAt === null ? 'does not expire' : state === 'expired' ? 'expired ' : 'expires '}
      {expiresAt !== null && <Time at={expiresAt} />} {state === 'expired' && <Badge look="danger">expired</Badge>}
      {state === 'soon' && <Badge look="warning">expires soon</Badge>}
    </p>
  );
}
