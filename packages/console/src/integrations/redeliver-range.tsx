import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, write } from '../api/client.ts';
import { errorBeside, fieldError } from '../api/property-errors.ts';
import type { EventRange } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { CloseButton, Dialog, DialogActions, isSent } from '../ui/dialog.tsx';
import { CheckField, TextField } from '../ui/field.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import type { Integration } from './draft.ts';
import { countWords, maxRedelivered } from './outcome-words.ts';
import styles from './outcomes.module.css';
import { useNotSendable } from './redeliver-event.tsx';
import { useRedeliverable } from './use-redeliverable.ts';
import { useReadAgain } from './use-save-integration.ts';

interface Props {
  integration: Integration;
  /** The events on the screen. */
  shown: { from: number; to: number } | null;
}

/** Sends a range of events again, after saying how many they are. */
export function RedeliverRange({ integration, shown }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button offBecause={useNotSendable(integration)} onClick={() => setOpen(true)}>
        Send a range again
      </Button>
      {isOpen && <RangeForm id={integration.id} shown={shown} onClose={() => setOpen(false)} />}
    </>
  );
}

function RangeForm({ id, shown, onClose }: { id: number; shown: Props['shown']; onClose: () => void }) {
  const [typed, setTyped] = useState({ from: `${shown?.from ?? 1}`, to: `${shown?.to ?? 1}` });
  const [onlyFailed, setOnlyFailed] = useState(true);
  const range: EventRange = { from: Number(typed.from), to: Number(typed.to), onlyFailed };
  const { count, complaint } = useRedeliverable(id, range);
  const readAgain = useReadAgain();
  const send = useMutation({
    mutationFn: () =>
      write(() => api.POST('/api/admin/addons/{id}/redeliver', { params: { path: { id: String(id) } }, body: range })),
    onSuccess({ redelivered }) {
      sayDone(
        redelivered === 1 ? 'One event is sent again.' : `${redelivered.toLocaleString()} events are sent again.`,
      );
      onClose();
    },
    onSettled: readAgain,
  });
  const isPossible = count !== null && count > 0 && count <= maxRedelivered;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPossible) send.mutate();
  };
  const rest = errorBeside(send.error, ['from', 'to']);
  const field = (name: 'from' | 'to', label: string) => (
    <TextField
      label={label}
      inputMode="numeric"
      required
      error={fieldError(send.error, name)}
      value={typed[name]}
      onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
    />
  );
  return (
    <Dialog title="Send a range again" isOpen onClose={onClose} staysBecause={send.isPending ? isSent.request : null}>
      <form className={styles.form} onSubmit={submit}>
        <p>Each event has a number, which the list and the event log show. Both ends are included.</p>
        <div className={styles.ends}>
          {field('from', 'From event')}
          {field('to', 'To event')}
        </div>
        <CheckField
          label="Only what did not succeed"
          checked={onlyFailed}
          onChange={(event) => setOnlyFailed(event.target.checked)}
        />
        <p role="status">{complaint ?? (count === null ? 'Counting …' : countWords(count))}</p>
        {rest !== null && <Failed error={rest} />}
        <DialogActions>
          <CloseButton />
          {isPossible ? (
            <SubmitButton mutation={send}>Send {count.toLocaleString()} again</SubmitButton>
          ) : (
            <Button look="primary" offBecause={complaint ?? 'No number of deliveries that can be sent is known.'}>
              Send again
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}
