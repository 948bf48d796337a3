import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/property-errors.ts';
import { signalEndpointsQuery } from '../../api/signal-queries.ts';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { addressOf } from './address.ts';

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
  return (
    <FormDialog
      title={title}
      submit={submit}
      mutation={save}
      names={['name', 'description', 'ratePerSecond']}
      onClose={onClose}
    >
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
        error={fieldError(save.error, 'name')}
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
    </FormDialog>
  );
}
