import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { actionDefinitionsQuery, actionSetsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { ForAdmins } from '../for-admins.tsx';
import { ActionSetEditor } from './action-set-editor.tsx';
import { ActionSetSwitch } from './action-set-switch.tsx';
import { DeleteActionSet } from './delete-action-set.tsx';

const route = getRouteApi('/projects/$projectId/actions/$actionSetId');

/** The last part of the address of a set that is not there yet. */
const newId = 'new';

/** Makes an action set, or edits one and shows what it did. */
export function ActionSetPage() {
  const { projectId, actionSetId } = route.useParams();
  const missing = useMissing()('ADMIN');
  const enabled = missing === null;
  const sets = useQuery({ ...actionSetsQuery(projectId), enabled });
  const definitions = useQuery({ ...actionDefinitionsQuery(projectId), enabled });
  const isNew = actionSetId === newId;
  const now = sets.data?.find(({ id }) => `${id}` === actionSetId);
  return (
    <>
      <PageHead
        title={isNew ? 'New action set' : (now?.name ?? 'Action set')}
        above={
          <Link to="/projects/$projectId/actions" params={{ projectId }}>
            Action sets of {projectId}
          </Link>
        }
      >
        {now !== undefined && (
          <>
            <ActionSetSwitch set={now} />
            <DeleteActionSet set={now} />
          </>
        )}
      </PageHead>
      {missing !== null ? (
        <ForAdmins what="Action sets" missing={missing} />
      ) : (
        <Shown query={sets}>
          {() => (
            <Shown query={definitions}>
              {(known) =>
                isNew || now !== undefined ? (
                  <ActionSetEditor key={actionSetId} projectId={projectId} now={now} definitions={known} />
                ) : (
                  <Empty title="There is no such action set" />
                )
              }
            </Shown>
          )}
        </Shown>
      )}
    </>
  );
}
