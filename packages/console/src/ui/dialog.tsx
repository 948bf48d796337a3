import { Dialog as Base } from '@base-ui/react/dialog';
import { createContext, type ReactNode, type RefObject, use, useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { keepFocus } from './keep-focus.ts';

export { DialogActions } from './dialog-actions.tsx';

interface Props {
  title: string;
  isOpen: boolean;
  /** Escape, the close button and a press outside. A dialog without it cannot be closed. */
  onClose?: () => void;
  /** Why it cannot be closed now, as a sentence. */
  staysBecause?: string | null;
  size?: 'small' | 'large';
  /** What has the focus first; unless given, the first field of a form, else the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** What a person types into at once. */
const firstField = 'form :is(input, select, textarea), [role="combobox"]';

/** While a dialog sends a write, which cannot be taken back, and what comes of it would be said nowhere else. */
export const isSent = { request: 'The request is being sent.', change: 'The change is being sent.' } as const;

const Closing = createContext<{ staysBecause: string | null; close: () => void }>({
  staysBecause: null,
  close: () => undefined,
});

/** A modal dialog. The focus stays in it and returns to where it was, or to the page if that is gone. */
export function Dialog(props: Props) {
  const { title, isOpen, onClose, staysBecause = null, size = 'small', initialFocus, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  useEffect(() => (isOpen ? keepFocus : undefined), [isOpen]);
  // On a touch the keyboard of the phone would cover half of the dialog.
  const focusField = (openedBy: string) =>
    openedBy === 'touch' || (popup.current?.querySelector<HTMLElement>(firstField) ?? true);
  const close = () => staysBecause === null && onClose?.();
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup ref={popup} className={`${styles.popup} ${styles[size]}`} initialFocus={initialFocus ?? focusField}>
          <header className={styles.header}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            {onClose && (
              <Base.Close
                className={styles.close}
                aria-label="Close"
                aria-disabled={staysBecause !== null || undefined}
                title={staysBecause ?? undefined}
              >
                ×
              </Base.Close>
            )}
          </header>
          <Closing value={{ staysBecause, close }}>{children}</Closing>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface CloseButtonProps {
  /** What it does in place of what Escape does. */
  onClick?: () => void;
  children?: ReactNode;
}

/** Closes the dialog around it. It is off while the dialog stays. */
export function CloseButton({ onClick, children = 'Cancel' }: CloseButtonProps) {
  const { staysBecause, close } = use(Closing);
  return (
    <Button offBecause={staysBecause} onClick={onClick ?? close}>
      {children}
    </Button>
  );
}
