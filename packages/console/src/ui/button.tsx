import type { ComponentProps, ReactNode } from 'react';
import { flushSync } from 'react-dom';
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
  const submits = rest.type === 'submit';
  return (
    <button
      type="button"
      {...rest}
      className={[styles.button, styles[look], className].filter(Boolean).join(' ')}
      aria-disabled={isOff || isBusy || undefined}
      aria-busy={isBusy || undefined}
      title={offBecause ?? rest.title}
      onMouseDown={(event) => {
        // The field that has the focus may take what was typed when it loses it, and grow. The button would move away
        // before the mouse is released, and the browser would send no click.
        if (submits) event.preventDefault();
      }}
      onClick={(event) => {
        if (isOff || isBusy) {
          event.preventDefault();
          return;
        }
        // The form is submitted with what the field has taken. A key has no `detail`, and leaves the focus where it is.
        if (submits && event.detail > 0) flushSync(() => event.currentTarget.focus());
        onClick?.(event);
      }}
    >
      {children}
      {isOff && <span className="visually-hidden"> ({offBecause})</span>}
    </button>
  );
}
