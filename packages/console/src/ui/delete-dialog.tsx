import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CloseButton, Dialog, DialogActions, isSent } from './dialog.tsx';
import { SubmitButton } from './send-again.tsx';
import { Failed } from './shown.tsx';

interface Props {
  /** What is deleted, as in `the endpoint alerts`. */
  what: string;
  isOpen: boolean;
  /** What is done with it, if it is not deleted. */
  verb?: string;
  send: () => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
  /** What is lost. */
  children: ReactNode;
}

/** The question before something is deleted. */
export function DeleteDialog({ what, isOpen, verb = 'Delete', send, onDone, onClose, children }: Props) {
  const remove = useMutation({
    mutationFn: send,
    onSuccess() {
      onClose();
      onDone();
    },
  });
  const staysBecause = remove.isPending ? isSent.request : null;
  return (
    <Dialog title={`${verb} ${what}?`} {...{ isOpen, onClose, staysBecause }}>
      <p>{children}</p>
      {remove.error !== null && <Failed error={remove.error} />}
      <DialogActions>
        <CloseButton />
        <SubmitButton look="danger" mutation={remove} onClick={() => remove.mutate()}>
          {verb}
        </SubmitButton>
      </DialogActions>
    </Dialog>
  );
}
