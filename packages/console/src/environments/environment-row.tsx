import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, write } from '../api/client.ts';
import { environmentsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { sayNotDone } from '../save/say-not-done.ts';
import { Badge } from '../ui/badge.tsx';
import { countOf } from '../ui/counts.ts';
import { Row, rowName } from '../ui/rows.tsx';
import { Switch } from '../ui/switch.tsx';
import type { Environment } from './environment.ts';
import { EnvironmentMenu } from './environment-menu.tsx';
import styles from './environment-row.module.css';

interface Props {
  environment: Environment;
  /** All of them, in their order. */
  environments: Environment[];
}

export function EnvironmentRow({ environment, environments }: Props) {
  const queries = useQueryClient();
  const missing = useMissing()('ADMIN');
  const { name, type, projectCount, enabledToggleCount, apiTokenCount } = environment;
  const change = useMutation({
    // A second press waits for the first one.
    scope: { id: `environment ${name}` },
    mutationFn: (isOn: boolean) => {
      const options = { params: { path: { name } } };
      return write(() =>
        isOn
          ? api.POST('/api/admin/environments/{name}/on', options)
          : api.POST('/api/admin/environments/{name}/off', options),
      );
    },
    onError: (error) => sayNotDone(`the environment ${name}`, 'changed', error),
    onSettled: () => queries.invalidateQueries({ queryKey: environmentsQuery.queryKey }),
  });
  const isOffered = change.isPending ? change.variables : environment.enabled;
  return (
    <Row
      name={
        <>
          <span className={rowName}>{name}</span>{' '}
          <Badge look={type === 'production' ? 'warning' : 'plain'}>{type}</Badge>{' '}
          {environment.protected && <Badge>protected: it cannot be deleted</Badge>}
        </>
      }
      facts={[
        `In ${countOf(projectCount, 'project')}`,
        `${countOf(enabledToggleCount, 'flag')} on`,
        countOf(apiTokenCount, 'API token'),
      ]}
      end={
        <>
          <div className={styles.switch}>
            <Switch
              label={`Projects can add ${name}`}
              isOn={isOffered}
              onChange={(isOn) => change.mutate(isOn)}
              offBecause={missing}
            />
            <span>{isOffered ? 'projects can add it' : 'projects cannot add it'}</span>
          </div>
          <EnvironmentMenu {...{ environment, environments, missing }} />
        </>
      }
    />
  );
}
