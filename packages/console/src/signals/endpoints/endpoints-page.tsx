import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { signalEndpointsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Row, Rows, rowFacts, rowName } from '../../ui/rows.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { ForAdmins } from '../for-admins.tsx';
import { SignalsNav } from '../signals-nav.tsx';
import { addressOf } from './address.ts';
import { EndpointSwitch } from './endpoint-switch.tsx';
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
              <Rows label="Signal endpoints">
                {endpoints.map((endpoint) => (
                  <Row
                    key={endpoint.id}
                    name={
                      <>
                        <Link
                          to="/signals/endpoints/$endpointId"
                          params={{ endpointId: `${endpoint.id}` }}
                          className={rowName}
                        >
                          {endpoint.name}
                        </Link>{' '}
                        {endpoint.tokens.length === 0 && <Badge look="warning">no token: nobody can send</Badge>}
                      </>
                    }
                    description={endpoint.description}
                    end={<EndpointSwitch endpoint={endpoint} />}
                  >
                    <p className={rowFacts}>
                      <code>{addressOf(endpoint.name)}</code>
                    </p>
                    <p className={rowFacts}>
                      {endpoint.tokens.length === 1 ? 'One token' : `${endpoint.tokens.length} tokens`} ·{' '}
                      {rateInWords(endpoint.ratePerSecond)}
                    </p>
                  </Row>
                ))}
              </Rows>
            )
          }
        </Shown>
      )}
    </>
  );
}
