import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Problem } from '../../api/problem.ts';
import { errorBeside, fieldError } from '../../api/property-errors.ts';
import { signalEndpointsQuery } from '../../api/signal-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { SubmitButton } from '../../ui/send-again.tsx';
import { Failed } from '../../ui/shown.tsx';
import { addressOf } from './address.ts';
import styles from './endpoint-page.module.css';

interface EndpointSettings {
  name: string;
  description: string | null;
  ratePerSecond: number | null;
}

interface Props {
  title: string;
  submit: string;
  initial: EndpointSettings;
  send: (settings: EndpointSettings) => Promise<{ id: number }>;
  onDone: (endpoint: { id: number }) => void;
  onClose: () => void;
}

/** The settings of a signal endpoint. */
export function EndpointForm({ title, submit, initial, send, onDone, onClose }: Props) {
  const queries = useQueryClient();
  const [settings, setSettings] = useState(initial);
  const save = useMutation({
    mutationFn: () => send({ ...settings, description: settings.description?.trim() || null }),
    async onSuccess(endpoint) {
      await queries.invalidateQueries({ queryKey: signalEndpointsQuery.queryKey });
      onClose();
      onDone(endpoint);
    },
  });
  const isTaken = save.error instanceof Problem && save.error.kind === 'conflict';
  const rest = isTaken ? null : errorBeside(save.error, ['name', 'description', 'ratePerSecond']);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={onSubmit}>
        <TextField
          label="Name"
          required
          maxLength={100}
          autoCapitalize="none"
          spellCheck={false}
          hint={
            initial.name === ''
              ? `A part of the address: ${addressOf(settings.name || 'name')}`
              : 'A part of the address. Senders of the present name are refused once it is changed.'
          }
          error={isTaken ? save.error?.message : fieldError(save.error, 'name')}
          value={settings.name}
          onChange={(event) => setSettings({ ...settings, name: event.target.value })}
        />
        <TextField
          label="Signals in a second"
          type="number"
          min={1}
          max={10_000}
          hint="An incident raises many alerts at once, and most senders do not repeat what was refused. Empty: as the service is set."
          error={fieldError(save.error, 'ratePerSecond')}
          value={settings.ratePerSecond ?? ''}
          onChange={({ target: { value } }) =>
            setSettings({ ...settings, ratePerSecond: value === '' ? null : Number(value) })
          }
        />
        <TextAreaField
          label="Description"
          maxLength={1000}
          error={fieldError(save.error, 'description')}
          value={settings.description ?? ''}
          onChange={(event) => setSettings({ ...settings, description: event.target.value })}
        />
        {rest !== null && <Failed error={rest} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton mutation={save}>{submit}</SubmitButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
