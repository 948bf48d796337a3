import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { actionDefinitionsQuery, actionSetsQuery, signalEndpointsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { ProjectFrame } from '../../projects/project-frame.tsx';
import { Row, Rows, rowFacts, rowName } from '../../ui/rows.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { ForAdmins } from '../for-admins.tsx';
import { ActionSetSwitch } from './action-set-switch.tsx';
import { NewActionSetLink } from './new-action-set-link.tsx';
import { actionInWords, filtersInWords } from './set-words.ts';

const route = getRouteApi('/projects/$projectId/actions');

/** The action sets of a project: which signals they react to, and what they do. */
export function ActionsPage() {
  const { projectId } = route.useParams();
  const missing = useMissing()('ADMIN');
  const enabled = missing === null;
  const sets = useQuery({ ...actionSetsQuery(projectId), enabled });
  const { data: definitions } = useQuery({ ...actionDefinitionsQuery(projectId), enabled });
  const { data: endpoints = [] } = useQuery({ ...signalEndpointsQuery, enabled });
  const endpointOf = (wanted: number) => endpoints.find(({ id }) => id === wanted)?.name ?? `endpoint ${wanted}`;
  return (
    <ProjectFrame projectId={projectId} actions={<NewActionSetLink projectId={projectId} offBecause={missing} />}>
      {() =>
        missing !== null ? (
          <ForAdmins what="Action sets" missing={missing} />
        ) : (
          <Shown query={sets}>
            {(found) =>
              found.length === 0 ? (
                <Empty title="No action set reacts to signals">
                  <p>
                    An action set switches flags, sets a rollout or marks a flag stale when a signal matches its
                    filters.
                  </p>
                </Empty>
              ) : (
                <Rows label="Action sets">
                  {found.map((set) => (
                    <Row
                      key={set.id}
                      name={
                        <Link
                          to="/projects/$projectId/actions/$actionSetId"
                          params={{ projectId, actionSetId: `${set.id}` }}
                          className={rowName}
                        >
                          {set.name}
                        </Link>
                      }
                      description={set.description}
                      facts={[`${endpointOf(set.match.sourceId)}: ${filtersInWords(set)}`]}
                      end={<ActionSetSwitch set={set} />}
                    >
                      <ol className={rowFacts}>
                        {set.actions.map((action) => (
                          <li key={action.id}>{actionInWords(action, definitions)}</li>
                        ))}
                      </ol>
                    </Row>
                  ))}
                </Rows>
              )
            }
          </Shown>
        )
      }
    </ProjectFrame>
  );
}
