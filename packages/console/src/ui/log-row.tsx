import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './log-row.module.css';

interface Props {
  id: number;
  /** What the row shows when it is opened, as in `signal 12`. */
  what: string;
  children: ReactNode;
  /** What it shows then. */
  detail: () => ReactNode;
  /** What can be done with it. */
  end?: ReactNode;
}

/** Something that happened, in a list of many: its id, a line about it, and on demand the rest. */
export function LogRow({ id, what, children, detail, end }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <span className={styles.id}>{id}</span>
        <div className={styles.text}>{children}</div>
        {end}
        <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'} <span className="visually-hidden">{what}</span>
        </Button>
      </div>
      {isOpen && detail()}
    </li>
  );
}
