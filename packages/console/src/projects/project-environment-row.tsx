import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schemas, write } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { inWords, type SegmentNames } from '../flag/strategy-words.ts';
import { sayNotDone } from '../save/say-not-done.ts';
import { Badge } from '../ui/badge.tsx';
import { countOf } from '../ui/counts.ts';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { Row, rowFacts, rowName } from '../ui/rows.tsx';
import { Switch } from '../ui/switch.tsx';
import { sayDone } from '../ui/toasts.tsx';

interface Props {
  projectId: string;
  environment: Schemas['environmentsProjectSchema']['environments'][number];
  names: SegmentNames;
}

/** Whether a project has an environment, and which strategy its flags get there. */
export function ProjectEnvironmentRow({ projectId, environment, names }: Props) {
  const queries = useQueryClient();
  const missing = useMissing()('UPDATE_PROJECT', projectId);
  const [isAsked, setAsked] = useState(false);
  const { name, type, enabled, visible, defaultStrategy } = environment;
  const { projectEnabledToggleCount, projectApiTokenCount } = environment;
  // Each flag of the project has the environment, or no longer has it.
  const readAgain = () => queries.invalidateQueries();
  const add = useMutation({
    mutationFn: () =>
      write(() =>
        api.POST('/api/admin/projects/{projectId}/environments', {
          params: { path: { projectId } },
          body: { environment: name },
        }),
      ),
    onSuccess: () => sayDone(`The project has the environment ${name}.`),
    onError: (error) => sayNotDone(`the environment ${name}`, 'added', error),
    onSettled: readAgain,
  });
  const has = add.isPending || visible;
  const params = { path: { projectId, environment: name } };
  return (
    <>
      <Row
        name={
          <>
            <span className={rowName}>{name}</span>{' '}
            <Badge look={type === 'production' ? 'warning' : 'plain'}>{type}</Badge>
          </>
        }
        facts={
          visible
            ? [`${countOf(projectEnabledToggleCount, 'flag')} on`, countOf(projectApiTokenCount, 'API token')]
            : ['The project does not have it']
        }
        end={
          <Switch
            label={`The project has ${name}`}
            isOn={has}
            offBecause={missing ?? (enabled || visible ? null : 'An admin has set that projects cannot add it.')}
            onChange={(isOn) => (isOn ? add.mutate() : setAsked(true))}
          />
        }
      >
        {visible && (
          <p className={rowFacts}>
            <Link
              to="/projects/$projectId/environments/$environment/default-strategy"
              params={{ projectId, environment: name }}
            >
              Default strategy<span className="visually-hidden"> in {name}</span>
            </Link>
            : on for {defaultStrategy === undefined ? 'everybody' : inWords(defaultStrategy, names)}
          </p>
        )}
      </Row>
      <DeleteDialog
        verb="Remove"
        what={`${name} from the project`}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        send={() => write(() => api.DELETE('/api/admin/projects/{projectId}/environments/{environment}', { params }))}
        onDone={() => {
          sayDone(`The project no longer has the environment ${name}.`);
          void readAgain();
        }}
      >
        {projectEnabledToggleCount === 0
          ? 'No flag is on there.'
          : `${countOf(projectEnabledToggleCount, 'flag')} on there: SDKs with a token of ${name} no longer get ${projectEnabledToggleCount === 1 ? 'it' : 'them'}.`}
      </DeleteDialog>
    </>
  );
}
