import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schemas, write } from '../../api/client.ts';
import { signalEndpointsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EditedInDialog } from '../../ui/edited.tsx';
import { sayDone } from '../../ui/toasts.tsx';
import { EndpointForm } from './endpoint-form.tsx';

/** What can be done with an endpoint as a whole. */
export function EndpointActions({ endpoint }: { endpoint: Schemas['signalEndpointSchema'] }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const missing = useMissing()('ADMIN');
  const [isOpen, setOpen] = useState(false);
  const { name, description, ratePerSecond, enabled } = endpoint;
  const params = { path: { id: `${endpoint.id}` } };
  return (
    <>
      <Button onClick={() => setOpen(true)} offBecause={missing}>
        Edit
      </Button>
      <DeleteButton
        what={`the endpoint ${name}`}
        offBecause={missing}
        send={() => write(() => api.DELETE('/api/admin/signal-endpoints/{id}', { params }))}
        onDone={() => {
          sayDone(`The endpoint ${name} was deleted.`);
          void navigate({ to: '/signals/endpoints' });
          void queries.invalidateQueries({ queryKey: signalEndpointsQuery.queryKey });
        }}
      >
        Its tokens are deleted with it, and its senders are refused. Its signals stay. Action sets that name it stay,
        and no longer run.
      </DeleteButton>
      {isOpen && (
        <EditedInDialog what="this endpoint" now={{ name, description, ratePerSecond }} settingsOf={(item) => item}>
          {(before) => (
            <EndpointForm
              title={`Edit ${before.name}`}
              submit="Save"
              initial={before}
              // A property that is not sent gets the value of a new endpoint.
              send={(body) =>
                write(() => api.PUT('/api/admin/signal-endpoints/{id}', { params, body: { ...body, enabled } }))
              }
              onDone={() => sayDone('The endpoint was saved.')}
              onClose={() => setOpen(false)}
            />
          )}
        </EditedInDialog>
      )}
    </>
  );
}
