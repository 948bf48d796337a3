import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { permissionWords } from '../api/permission-words.ts';
import { integrationsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Edited } from '../ui/edited.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { DeleteIntegration } from './delete-integration.tsx';
import { type Draft, draftOf, type Integration, type Provider } from './draft.ts';
import { EnableSwitch } from './enable-switch.tsx';
import { destinationWords, filterWords } from './filter-words.ts';
import { HealthPanel } from './health-panel.tsx';
import { IntegrationForm } from './integration-form.tsx';
import { nameOf } from './integration-name.ts';
import styles from './integration-page.module.css';
import type { IntegrationSearch } from './integration-search.ts';
import { Outcomes } from './outcomes.tsx';
import { ProviderNotes } from './provider-notes.tsx';
import { TestIntegration } from './test-integration.tsx';

const route = getRouteApi('/integrations/$id');

/** An integration: how it does, what it has sent, and its settings. */
export function IntegrationPage() {
  const { id } = route.useParams();
  const query = useQuery(integrationsQuery);
  return (
    <Shown query={query}>
      {({ addons, providers }) => {
        const integration = addons.find((addon) => String(addon.id) === id);
        if (integration === undefined) {
          return (
            <Empty title="There is no such integration">
              <p>
                <Link to="/integrations">All integrations</Link>
              </p>
            </Empty>
          );
        }
        const provider = providers.find(({ name }) => name === integration.provider);
        return <Found key={id} {...{ integration, provider }} />;
      }}
    </Shown>
  );
}

interface Props {
  integration: Integration;
  provider: Provider | undefined;
}

function Found({ integration, provider }: Props) {
  const { view } = route.useSearch();
  const name = nameOf(integration, provider);
  return (
    <>
      <PageHead title={name} above={<Link to="/integrations">Integrations</Link>}>
        <EnableSwitch {...{ integration, name }} />
        <TestIntegration id={integration.id} />
        <DeleteIntegration {...{ integration, name }} />
      </PageHead>
      {integration.description && <p className={styles.description}>{integration.description}</p>}
      <p className={styles.quiet}>
        {filterWords(integration)} {destinationWords(integration)}
      </p>
      <HealthPanel integration={integration} />
      {!integration.maySendEventsOfPeople && (
        <p className={styles.notice}>
          It is sent no event of users, roles and tokens: somebody without the permission {permissionWords('READ_LOGS')}{' '}
          has changed its parameters. It is sent them again when somebody with it enters each secret anew.
        </p>
      )}
      <nav className={styles.views} aria-label="Parts of the integration">
        <ViewLink search={{}} isShown={view === undefined}>
          Deliveries
        </ViewLink>
        <ViewLink search={{ view: 'settings' }} isShown={view === 'settings'}>
          Settings
        </ViewLink>
      </nav>
      {view === 'settings' ? <Settings {...{ integration, provider }} /> : <Outcomes integration={integration} />}
    </>
  );
}

/** The router takes each address of this page for the current one, whatever it shows. */
const exactly = { exact: true, includeSearch: true };

function ViewLink({ search, isShown, children }: { search: IntegrationSearch; isShown: boolean; children: string }) {
  return (
    <Link from={route.id} search={search} activeOptions={exactly} aria-current={isShown ? 'page' : undefined}>
      {children}
    </Link>
  );
}

/** What a person edits here. Whether it is on has a switch of its own. */
const settingsOf = ({ enabled: _, ...settings }: Draft) => settings;

function Settings({ integration, provider }: Props) {
  const navigate = route.useNavigate();
  const missing = useMissing();
  if (provider === undefined) return <Empty title={`There is no provider ${integration.provider} any more`} />;
  const toDeliveries = () => void navigate({ search: {}, ignoreBlocker: true });
  return (
    <>
      <ProviderNotes provider={provider} />
      <Edited what="this integration" now={draftOf(integration)} {...{ settingsOf }}>
        {(before) => (
          <IntegrationForm
            {...{ provider }}
            stored={integration}
            initial={before}
            missing={missing('UPDATE_ADDON')}
            onSaved={toDeliveries}
            onCancel={() => void navigate({ search: {} })}
          />
        )}
      </Edited>
    </>
  );
}
