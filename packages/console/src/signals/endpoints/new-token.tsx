import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, write } from '../../api/client.ts';
import { fieldError } from '../../api/property-errors.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { isolated } from '../../ui/direction.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { addressOf } from './address.ts';
import { SenderSettings } from './sender-settings.tsx';

interface Props {
  endpoint: Schemas['signalEndpointSchema'];
  onMade: () => void;
  onClose: () => void;
}

/** Makes a token and shows it once. It is in no store of the browser, and is gone when the dialog is closed. */
export function NewToken({ endpoint, onMade, onClose }: Props) {
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: () => {
      const params = { path: { signalEndpointId: `${endpoint.id}` } };
      const url = '/api/admin/signal-endpoints/{signalEndpointId}/tokens';
      return write(() => api.POST(url, { params, body: { name } }));
    },
    onSuccess: onMade,
    gcTime: 0,
  });
  if (make.data?.token !== undefined) {
    return (
      <Dialog title={`Token ${isolated(make.data.name)}`} size="large" isOpen>
        <p>
          <strong>Copy the token now.</strong> It is not shown again; whoever loses it makes a new one.
        </p>
        <CodeBlock title="Token" label="the token" code={make.data.token} />
        <SenderSettings address={addressOf(endpoint.name)} token={make.data.token} />
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            I have copied it
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={`New token of ${endpoint.name}`}
      submit="Make token"
      mutation={make}
      names={['name']}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={255}
        hint="Who sends with it, such as alertmanager"
        error={fieldError(make.error, 'name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
