import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { contextFieldsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/counts.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Row, Rows, rowName } from '../ui/rows.tsx';
import { Shown } from '../ui/shown.tsx';

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
      <Shown query={query}>
        {(fields) => (
          <Rows label="Context fields">
            {fields.map(({ name, description, stickiness, legalValues, usedInFeatures, usedInProjects }) => (
              <Row
                key={name}
                name={
                  <>
                    <Link to="/context-fields/$contextField" params={{ contextField: name }} className={rowName}>
                      {name}
                    </Link>{' '}
                    {stickiness && <Badge>sticky</Badge>}
                  </>
                }
                description={description}
                facts={[
                  usedInFeatures === 0
                    ? 'Not used'
                    : `Used by ${countOf(usedInFeatures, 'flag')} of ${countOf(usedInProjects, 'project')}`,
                  legalValues.length === 0 ? 'any value' : countOf(legalValues.length, 'legal value'),
                ]}
              />
            ))}
          </Rows>
        )}
      </Shown>
    </>
  );
}
