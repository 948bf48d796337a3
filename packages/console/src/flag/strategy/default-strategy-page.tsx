import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, linkOptions } from '@tanstack/react-router';
import { api, type Schemas, write } from '../../api/client.ts';
import { projectQuery } from '../../api/queries.ts';
import { useMissing } from '../../app/session.ts';
import { type StrategySettings, settingsOf } from '../../save/change.ts';
import type { Outcome } from '../../save/save-now.ts';
import { sayNotDone } from '../../save/say-not-done.ts';
import { strategyChanged } from '../../save/words.ts';
import { Edited } from '../../ui/edited.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { sayDone } from '../../ui/toasts.tsx';
import { emptyStrategy } from './draft.ts';
import styles from './strategy-form.module.css';
import { StrategyForm } from './strategy-form.tsx';

const route = getRouteApi('/projects/$projectId/environments/$environment/default-strategy');

/** What a flag of a project gets when it is switched on in an environment without a strategy. SDKs see no change. */
export function DefaultStrategyPage() {
  const { projectId, environment: name } = route.useParams();
  const queries = useQueryClient();
  const query = useQuery(projectQuery(projectId));
  const read = () => {
    const project = queries.getQueryData(projectQuery(projectId).queryKey);
    return project && strategyIn(project, name);
  };
  return (
    <>
      <PageHead
        title={`Default strategy in ${name}`}
        above={
          <Link to="/projects/$projectId/environments" params={{ projectId }}>
            {query.data?.name ?? projectId}
          </Link>
        }
      />
      <p className={styles.intro}>
        A flag of the project gets it when it is switched on in {name} and has no strategy in use there. Flags that have
        one keep it.
      </p>
      <Shown query={query}>
        {(project) => {
          const now = strategyIn(project, name);
          if (now === undefined) return <Empty title={`The project has no environment ${name}`} />;
          return (
            <Edited
              key={`${projectId} ${name}`}
              what="this default strategy"
              {...{ now, read, settingsOf }}
              inWords={strategyChanged}
            >
              {(before) => <Editor projectId={projectId} name={name} initial={before} />}
            </Edited>
          );
        }}
      </Shown>
    </>
  );
}

/** Without one of its own, a project gives its flags a rollout to everybody. */
function strategyIn(
  { environments, defaultStickiness }: Schemas['projectOverviewSchema'],
  name: string,
): StrategySettings | undefined {
  const found = environments.find(({ environment }) => environment === name);
  // Each flag is a group of its own, so the group is empty.
  const { defaultStrategy = emptyStrategy('flexibleRollout', '', defaultStickiness) } = found ?? {};
  return found && settingsOf({ ...defaultStrategy, disabled: false });
}

interface EditorProps {
  projectId: string;
  /** Of the environment. */
  name: string;
  initial: StrategySettings;
}

function Editor({ projectId, name, initial }: EditorProps) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const missing = useMissing();
  const toEnvironments = linkOptions({ to: '/projects/$projectId/environments', params: { projectId } });
  const readAgain = () => queries.invalidateQueries({ queryKey: ['project', projectId] });
  const onSave = async (strategy: StrategySettings): Promise<Outcome> => {
    try {
      await write(() =>
        api.POST('/api/admin/projects/{projectId}/environments/{environment}/default-strategy', {
          params: { path: { projectId, environment: name } },
          body: strategy,
        }),
      );
    } catch (error) {
      sayNotDone(`the default strategy in ${name}`, 'saved', error as Error);
      void readAgain();
      return error as Error;
    }
    sayDone(`The default strategy in ${name} was saved.`);
    await navigate({ ...toEnvironments, ignoreBlocker: true });
    void readAgain();
    return 'done';
  };
  return (
    <StrategyForm
      project={projectId}
      feature={null}
      submit="Save"
      {...{ initial, onSave }}
      offBecause={missing('PROJECT_DEFAULT_STRATEGY_WRITE', projectId) && missing('UPDATE_PROJECT', projectId)}
      onCancel={() => void navigate(toEnvironments)}
    />
  );
}
