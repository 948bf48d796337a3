import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { signalEndpointsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { ForAdmins } from '../for-admins.tsx';
import { addressOf } from './address.ts';
import { EndpointActions } from './endpoint-actions.tsx';
import styles from './endpoint-page.module.css';
import { EndpointSwitch } from './endpoint-switch.tsx';
import { EndpointTokens } from './endpoint-tokens.tsx';
import { rateInWords } from './rate-words.ts';
import { SenderSettings } from './sender-settings.tsx';

const route = getRouteApi('/signals/endpoints/$endpointId');

/** A signal endpoint: its address, its tokens, and how systems send to it. */
export function EndpointPage() {
  const { endpointId } = route.useParams();
  const missing = useMissing()('ADMIN');
  const query = useQuery({ ...signalEndpointsQuery, enabled: missing === null });
  const endpoint = query.data?.find(({ id }) => `${id}` === endpointId);
  return (
    <>
      <PageHead
        title={endpoint?.name ?? 'Signal endpoint'}
        above={<Link to="/signals/endpoints">Signal endpoints</Link>}
      >
        {endpoint !== undefined && <EndpointActions endpoint={endpoint} />}
      </PageHead>
      {missing !== null ? (
        <ForAdmins what="Endpoints" missing={missing} />
      ) : (
        <Shown query={query}>
          {() => (endpoint === undefined ? <Empty title="There is no such endpoint" /> : <Parts endpoint={endpoint} />)}
        </Shown>
      )}
    </>
  );
}

function Parts({ endpoint }: { endpoint: Schemas['signalEndpointSchema'] }) {
  const address = addressOf(endpoint.name);
  return (
    <>
      <div className={styles.facts}>
        <EndpointSwitch endpoint={endpoint} />
        <span>It accepts {rateInWords(endpoint.ratePerSecond)}.</span>
        <Link to="/signals" search={{ endpoint: `${endpoint.id}` }}>
          Its signals
        </Link>
      </div>
      {endpoint.description && <p className={styles.description}>{endpoint.description}</p>}
      <div className={styles.parts}>
        <section className={styles.part} aria-labelledby="address">
          <h2 id="address">Address</h2>
          <CodeBlock title="URL" label="address of the endpoint" code={address} />
          <EndpointTokens endpoint={endpoint} />
        </section>
        <section className={styles.part} aria-labelledby="senders">
          <h2 id="senders">Send to it</h2>
          <SenderSettings address={address} />
        </section>
      </div>
    </>
  );
}
