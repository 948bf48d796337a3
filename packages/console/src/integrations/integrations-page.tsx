import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { integrationStatesQuery, integrationsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import type { Provider } from './draft.ts';
import { IntegrationRow } from './integration-row.tsx';
import styles from './integrations-page.module.css';

/** Every integration with its health, and the providers of which one can be made. */
export function IntegrationsPage() {
  const query = useQuery(integrationsQuery);
  const states = useQuery(integrationStatesQuery);
  return (
    <>
      <PageHead title="Integrations" />
      <Shown query={query}>
        {({ addons, providers }) => (
          <>
            {addons.length === 0 ? (
              <Empty title="There is no integration yet">
                <p>An integration tells another system of the events of this one. Choose where to send them.</p>
              </Empty>
            ) : (
              <ul className={styles.list}>
                {addons.map((integration) => (
                  <IntegrationRow
                    key={integration.id}
                    integration={integration}
                    provider={providers.find(({ name }) => name === integration.provider)}
                    state={states.data?.states.find(({ integrationId }) => integrationId === integration.id)}
                  />
                ))}
              </ul>
            )}
            {states.error !== null && (
              <p className={styles.problem} role="status">
                How the integrations do could not be read. {states.error.message}
              </p>
            )}
            <Providers providers={providers.filter(({ deprecated }) => deprecated === undefined)} />
          </>
        )}
      </Shown>
    </>
  );
}

function Providers({ providers }: { providers: Provider[] }) {
  const missing = useMissing()('CREATE_ADDON');
  return (
    <section aria-labelledby="providers">
      <h2 id="providers" className={styles.heading}>
        Add an integration
      </h2>
      {missing && <p className={styles.quiet}>{missing}</p>}
      <ul className={styles.providers}>
        {providers.map(({ name, displayName, description }) => (
          <li key={name} className={styles.provider}>
            <h3>
              {missing === null ? (
                <Link to="/integrations/new/$provider" params={{ provider: name }}>
                  {displayName}
                </Link>
              ) : (
                displayName
              )}
            </h3>
            <p className={styles.quiet}>{description}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
