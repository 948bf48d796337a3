import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';

interface Props extends Omit<ComponentProps<'button'>, 'disabled'> {
  look?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** Why the control is off, as a sentence. It stays reachable by keyboard, so that the reason can be read. */
  offBecause?: string | null | undefined;
  /** While the work of the button runs. Another press does nothing. */
  isBusy?: boolean;
  children: ReactNode;
}

export function Button({ look = 'plain', offBecause, isBusy = false, onClick, className, children, ...rest }: Props) {
  const isOff = Boolean(offBecause);
  return (
    <button
      type="button"
      {...rest}
      className={[styles.button, styles[look], className].filter(Boolean).join(' ')}
      aria-disabled={isOff || isBusy || undefined}
      aria-busy={isBusy || undefined}
      title={offBecause ?? rest.title}
      onClick={(event) => {
        if (isOff || isBusy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {isOff && <span className="visually-hidden"> ({offBecause})</span>}
    </button>
  );
}
