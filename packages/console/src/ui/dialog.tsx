import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import styles from './dialog.module.css';

export { DialogActions } from './dialog-actions.tsx';

interface Props {
  title: string;
  isOpen: boolean;
  /** Escape, the close button and a press outside. A dialog without it cannot be closed. */
  onClose?: () => void;
  size?: 'small' | 'large';
  /** What has the focus first; unless given, the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** A modal dialog. The focus stays in it and returns to where it was. */
export function Dialog({ title, isOpen, onClose, size = 'small', initialFocus, children }: Props) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose?.()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={`${styles.popup} ${styles[size]}`} {...(initialFocus && { initialFocus })}>
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
