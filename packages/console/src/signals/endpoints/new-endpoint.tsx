import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, write } from '../../api/client.ts';
import { useMissing } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { EndpointForm } from './endpoint-form.tsx';

/** A button that opens the form of a new endpoint. */
export function NewEndpoint() {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const missing = useMissing();
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)} offBecause={missing('ADMIN')}>
        New endpoint
      </Button>
      {isOpen && (
        <EndpointForm
          title="New signal endpoint"
          submit="Make endpoint"
          // As many as an incident raises at once: most senders do not repeat what was refused.
          initial={{ name: '', description: null, ratePerSecond: 20 }}
          send={(body) => write(() => api.POST('/api/admin/signal-endpoints', { body }))}
          onDone={({ id }) => void navigate({ to: '/signals/endpoints/$endpointId', params: { endpointId: `${id}` } })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
