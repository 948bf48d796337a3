import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { integrationsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { isolated } from '../ui/direction.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { newDraft } from './draft.ts';
import { IntegrationForm } from './integration-form.tsx';
import { ProviderNotes } from './provider-notes.tsx';

const route = getRouteApi('/integrations/new/$provider');

/** Makes an integration of a provider. */
export function NewIntegrationPage() {
  const { provider: name } = route.useParams();
  const navigate = route.useNavigate();
  const missing = useMissing();
  const query = useQuery(integrationsQuery);
  return (
    <Shown query={query}>
      {({ providers }) => {
        const provider = providers.find((each) => each.name === name);
        if (provider === undefined) return <Empty title={`There is no provider ${isolated(name)}`} />;
        return (
          <>
            <PageHead
              title={`New integration: ${provider.displayName}`}
              above={<Link to="/integrations">Integrations</Link>}
            />
            <ProviderNotes provider={provider} />
            <IntegrationForm
              key={name}
              provider={provider}
              initial={newDraft(provider)}
              missing={missing('CREATE_ADDON')}
              onSaved={({ id }) =>
                void navigate({ to: '/integrations/$id', params: { id: String(id) }, ignoreBlocker: true })
              }
              onCancel={() => void navigate({ to: '/integrations' })}
            />
          </>
        );
      }}
    </Shown>
  );
}
