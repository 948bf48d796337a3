import type { FormEvent, ReactNode } from 'react';
import styles from './form-page.module.css';

interface Props {
  /** Names the form, if its page does not. */
  label?: string;
  onSubmit: (form: HTMLFormElement) => void;
  /** Whether `onSubmit` finds what is missing, and not the browser. */
  checksItself?: boolean;
  /** What the end says beside its buttons. */
  said?: ReactNode;
  /** What is refused, in the place of `said`. */
  refused?: ReactNode;
  buttons: ReactNode;
  children: ReactNode;
}

/** A form that is a page of sections. Its buttons stay in sight. */
export function FormPage({ label, onSubmit, checksItself = false, said, refused, buttons, children }: Props) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(event.currentTarget);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate={checksItself} aria-label={label}>
      {children}
      <footer className={styles.footer} data-page-buttons>
        <div className={styles.said}>
          {refused ? (
            <p className={styles.refused} role="alert">
              {refused}
            </p>
          ) : (
            said
          )}
        </div>
        <div className={styles.buttons}>{buttons}</div>
      </footer>
    </form>
  );
}
