import type { ComponentProps } from 'react';
import styles from './button.module.css';

/** A link that looks like a button, such as a download. */
export function LinkButton(props: ComponentProps<'a'> & { href: string }) {
  return <a {...props} className={`${styles.button} ${styles.plain ?? ''}`} />;
}
