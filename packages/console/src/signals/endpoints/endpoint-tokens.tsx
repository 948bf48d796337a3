import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, write } from '../../api/client.ts';
import { signalEndpointsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { isolated } from '../../ui/direction.ts';
import { Time } from '../../ui/time.tsx';
import { sayDone } from '../../ui/toasts.tsx';
import styles from './endpoint-page.module.css';
import { NewToken } from './new-token.tsx';

/** The tokens with which senders send to the endpoint. Their secrets are not known any more. */
export function EndpointTokens({ endpoint }: { endpoint: Schemas['signalEndpointSchema'] }) {
  const queries = useQueryClient();
  const missing = useMissing()('ADMIN');
  const [isOpen, setOpen] = useState(false);
  const readAgain = () => void queries.invalidateQueries({ queryKey: signalEndpointsQuery.queryKey });
  return (
    <>
      <div className={styles.bar}>
        <h2>Tokens</h2>
        <Button look="primary" onClick={() => setOpen(true)} offBecause={missing}>
          New token
        </Button>
      </div>
      {endpoint.tokens.length === 0 ? (
        <p>Nobody can send: there is no token.</p>
      ) : (
        <ul>
          {endpoint.tokens.map(({ id, name, createdAt }) => (
            <li key={id} className={styles.token}>
              <span>
                {isolated(name)}{' '}
                <span className={styles.quiet}>
                  made <Time at={createdAt} />
                </span>
              </span>
              <DeleteButton
                what={`the token ${isolated(name)}`}
                look="quiet"
                offBecause={missing}
                send={() => {
                  const path = { signalEndpointId: `${endpoint.id}`, id: `${id}` };
                  const url = '/api/admin/signal-endpoints/{signalEndpointId}/tokens/{id}';
                  return write(() => api.DELETE(url, { params: { path } }));
                }}
                onDone={() => {
                  sayDone(`The token ${isolated(name)} was deleted.`);
                  readAgain();
                }}
              >
                What is sent with it is refused from now on. The signals that it has sent stay.
              </DeleteButton>
            </li>
          ))}
        </ul>
      )}
      {isOpen && <NewToken endpoint={endpoint} onMade={readAgain} onClose={() => setOpen(false)} />}
    </>
  );
}
