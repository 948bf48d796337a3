import { type FormEvent, type ReactNode, use, useState } from 'react';
import { errorBeside } from '../api/property-errors.ts';
import { CloseButton, Dialog, DialogActions, isSent } from './dialog.tsx';
import { EditedNotice } from './edited.tsx';
import styles from './form-dialog.module.css';
import { LeaveGuard, LeaveQuestion } from './leave-guard.tsx';
import { SubmitButton } from './send-again.tsx';
import { Failed } from './shown.tsx';

interface Props {
  title: string;
  /** What its button says. */
  submit: string;
  mutation: { error: Error | null; isPending: boolean; isSuccess: boolean; mutate: () => void };
  /** The properties whose errors the fields show. Any other error is shown by the buttons. */
  names: readonly string[];
  /** Why it cannot be sent, as a sentence. */
  offBecause?: string | null;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A form in a dialog that sends one write. It asks before what was typed is lost, and stays while the write is sent.
 * Within EditedInDialog it says what somebody else changed meanwhile.
 */
export function FormDialog({ title, submit, mutation, names, offBecause = null, onClose, children }: Props) {
  const notice = use(EditedNotice);
  const rest = errorBeside(mutation.error, names);
  const [isTyped, setTyped] = useState(false);
  const [asks, setAsks] = useState(false);
  const { isPending, isSuccess } = mutation;
  const isDirty = isTyped && !isPending && !isSuccess;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    mutation.mutate();
  };
  const close = () => (isDirty ? setAsks(true) : onClose());
  return (
    <Dialog title={title} isOpen onClose={close} staysBecause={isPending ? isSent.request : null}>
      <LeaveGuard isDirty={isDirty} />
      {asks && <LeaveQuestion onStay={() => setAsks(false)} onLeave={onClose} />}
      <form className={styles.form} onSubmit={onSubmit} onInput={() => setTyped(true)}>
        {notice}
        {children}
        {rest !== null && <Failed error={rest} />}
        <DialogActions>
          <CloseButton onClick={onClose} />
          <SubmitButton mutation={mutation} offBecause={offBecause}>
            {submit}
          </SubmitButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
