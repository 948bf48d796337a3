import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Schemas, write } from '../../api/client.ts';
import { signalEndpointsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { sayNotDone } from '../../save/say-not-done.ts';
import { Switch } from '../../ui/switch.tsx';
import styles from './endpoint-switch.module.css';

/** Whether an endpoint accepts signals. */
export function EndpointSwitch({ endpoint }: { endpoint: Schemas['signalEndpointSchema'] }) {
  const queries = useQueryClient();
  const missing = useMissing();
  const { name, enabled } = endpoint;
  const params = { path: { id: `${endpoint.id}` } };
  const change = useMutation({
    // A second press waits for the first one.
    scope: { id: `signal endpoint ${endpoint.id}` },
    mutationFn: (isOn: boolean) =>
      write(() =>
        isOn
          ? api.POST('/api/admin/signal-endpoints/{id}/on', { params })
          : api.POST('/api/admin/signal-endpoints/{id}/off', { params }),
      ),
    onError: (error, isOn) => sayNotDone(`the endpoint ${name}`, `switched ${isOn ? 'on' : 'off'}`, error),
    onSettled: () => queries.invalidateQueries({ queryKey: signalEndpointsQuery.queryKey }),
  });
  const isOn = change.isPending ? change.variables : enabled;
  return (
    <div className={styles.switch}>
      <Switch
        label={`Endpoint ${name}`}
        isOn={isOn}
        onChange={(wanted) => change.mutate(wanted)}
        offBecause={missing('ADMIN')}
      />
      <span>{isOn ? 'on' : 'off: signals are refused'}</span>
    </div>
  );
}
