import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { signalEndpointsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { ForAdmins } from '../for-admins.tsx';
import { SignalsNav } from '../signals-nav.tsx';
import { addressOf } from './address.ts';
import { EndpointSwitch } from './endpoint-switch.tsx';
import styles from './endpoints-page.module.css';
import { NewEndpoint } from './new-endpoint.tsx';
import { rateInWords } from './rate-words.ts';

/** Where other systems send signals to. */
export function EndpointsPage() {
  const missing = useMissing()('ADMIN');
  const query = useQuery({ ...signalEndpointsQuery, enabled: missing === null });
  return (
    <>
      <PageHead title="Signal endpoints">
        <NewEndpoint />
      </PageHead>
      <SignalsNav />
      {missing !== null ? (
        <ForAdmins what="Endpoints" missing={missing} />
      ) : (
        <Shown query={query}>
          {(endpoints) =>
            endpoints.length === 0 ? (
              <Empty title="No endpoint receives signals">
                <p>Give each sender an endpoint and a token of its own. A token can be deleted alone.</p>
              </Empty>
            ) : (
              <ul className={styles.list}>
                {endpoints.map((endpoint) => (
                  <li key={endpoint.id} className={styles.row}>
                    <div className={styles.text}>
                      <Link
                        to="/signals/endpoints/$endpointId"
                        params={{ endpointId: `${endpoint.id}` }}
                        className={styles.name}
                      >
                        {endpoint.name}
                      </Link>{' '}
                      {endpoint.tokens.length === 0 && <Badge look="warning">no token: nobody can send</Badge>}
                      {endpoint.description && <p>{endpoint.description}</p>}
                      <p className={styles.quiet}>
                        <code>{addressOf(endpoint.name)}</code>
                      </p>
                      <p className={styles.quiet}>
                        {endpoint.tokens.length === 1 ? 'One token' : `${endpoint.tokens.length} tokens`} ·{' '}
                        {rateInWords(endpoint.ratePerSecond)}
                      </p>
                    </div>
                    <EndpointSwitch endpoint={endpoint} />
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      )}
    </>
  );
}
