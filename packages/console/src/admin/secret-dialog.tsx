import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';

interface Props {
  title: string;
  /** What the secret is, as in `token`. */
  what: string;
  secret: string;
  onClose: () => void;
  /** Whether it can be read again, and by whom. */
  children: ReactNode;
}

/** Shows a secret. It is in no store of the browser, and is gone when the dialog is closed. */
export function SecretDialog({ title, what, secret, onClose, children }: Props) {
  return (
    <Dialog title={title} size="large" isOpen>
      <p>{children}</p>
      <CodeBlock title={`The ${what}`} label={`the ${what}`} code={secret} />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
