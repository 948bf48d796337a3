import type { FormEvent, ReactNode } from 'react';
import styles from './form-page.module.css';

interface Props {
  onSubmit: () => void;
  /** What the end says beside its buttons, such as what is refused. */
  said?: ReactNode;
  buttons: ReactNode;
  children: ReactNode;
}

/** A form that is a page of sections. Its buttons stay in sight. */
export function FormPage({ onSubmit, said, buttons, children }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {children}
      <footer className={styles.footer}>
        <div className={styles.said}>{said}</div>
        <div className={styles.buttons}>{buttons}</div>
      </footer>
    </form>
  );
}
