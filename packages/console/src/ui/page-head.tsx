import { type ReactNode, useEffect } from 'react';
import styles from './page-head.module.css';

interface Props {
  title: string;
  /** What is above the title, such as the project of a flag. */
  above?: ReactNode;
  children?: ReactNode;
}

/** The title of a page, which also names the browser's tab, and what can be done with the whole page. */
export function PageHead({ title, above, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Yardarm`;
  }, [title]);
  return (
    <div className={styles.head}>
      <div className={styles.text}>
        {above && <div className={styles.above}>{above}</div>}
        <h1>{title}</h1>
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  );
}
