import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { Button } from './button.tsx';

interface Props extends Pick<ComponentProps<'a'>, 'download' | 'children'> {
  href: string;
  /** As of `Button`. */
  offBecause: string | null;
}

/** A link that looks like a button, such as a download. */
export function LinkButton({ offBecause, children, ...link }: Props) {
  if (offBecause !== null) return <Button offBecause={offBecause}>{children}</Button>;
  return (
    <a {...link} className={`${styles.button} ${styles.plain ?? ''}`}>
      {children}
    </a>
  );
}
