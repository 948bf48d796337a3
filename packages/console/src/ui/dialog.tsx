import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import styles from './dialog.module.css';
import { keepFocus } from './keep-focus.ts';

export { DialogActions } from './dialog-actions.tsx';

interface Props {
  title: string;
  isOpen: boolean;
  /** Escape, the close button and a press outside. A dialog without it cannot be closed. */
  onClose?: () => void;
  size?: 'small' | 'large';
  /** What has the focus first; unless given, the first field of a form, else the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** What a person types into at once. */
const firstField = 'form :is(input, select, textarea), [role="combobox"]';

/** A modal dialog. The focus stays in it and returns to where it was, or to the page if that is gone. */
export function Dialog({ title, isOpen, onClose, size = 'small', initialFocus, children }: Props) {
  const popup = useRef<HTMLDivElement>(null);
  useEffect(() => (isOpen ? keepFocus : undefined), [isOpen]);
  // On a touch the keyboard of the phone would cover half of the dialog.
  const focusField = (openedBy: string) =>
    openedBy === 'touch' || (popup.current?.querySelector<HTMLElement>(firstField) ?? true);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose?.()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup ref={popup} className={`${styles.popup} ${styles[size]}`} initialFocus={initialFocus ?? focusField}>
          <header className={styles.header}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            {onClose && (
              <Base.Close className={styles.close} aria-label="Close">
                ×
              </Base.Close>
            )}
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
