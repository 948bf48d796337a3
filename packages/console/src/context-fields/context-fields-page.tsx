import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { contextFieldsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Shown } from '../ui/shown.tsx';
import { ContextFieldRows } from './context-field-rows.tsx';

const route = getRouteApi('/context-fields');

/** What SDKs tell of a user, for constraints and stickiness. */
export function ContextFieldsPage() {
  const navigate = route.useNavigate();
  const missing = useMissing();
  const query = useQuery(contextFieldsQuery(null));
  return (
    <>
      <PageHead title="Context fields">
        <Button
          look="primary"
          offBecause={missing('CREATE_CONTEXT_FIELD')}
          onClick={() => void navigate({ to: '/new-context-field' })}
        >
          New context field
        </Button>
      </PageHead>
      <p>What SDKs tell of a user. Constraints compare these fields, and a rollout keeps users by a sticky one.</p>
      <Shown query={query}>{(fields) => <ContextFieldRows projectId={null} fields={fields} />}</Shown>
    </>
  );
}
