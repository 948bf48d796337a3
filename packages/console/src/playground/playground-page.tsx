import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { environmentsQuery, playgroundQuery, projectsQuery } from '../api/queries.ts';
import { CheckField, SelectField } from '../ui/field.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { ContextFields } from './context-fields.tsx';
import { Evaluations } from './evaluations.tsx';
import styles from './playground-page.module.css';
import { type PlaygroundSearch, toQuestion } from './playground-search.ts';

const route = getRouteApi('/playground');

/** What an SDK would get with a context, in each environment, and why. */
export function PlaygroundPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: environments } = useQuery(environmentsQuery);
  const { data: projects } = useQuery(projectsQuery);
  const question = toQuestion(search);
  const query = useQuery(playgroundQuery(question));
  const set = (change: Partial<PlaygroundSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  const chosen = search.environments ?? [];

  return (
    <>
      <PageHead title="Playground" />
      <div className={styles.question}>
        <fieldset className={styles.environments}>
          <legend>Environments</legend>
          {environments?.environments.map(({ name }) => (
            <CheckField
              key={name}
              label={name}
              checked={chosen.includes(name)}
              onChange={(event) =>
                set({
                  environments: event.target.checked ? [...chosen, name] : chosen.filter((other) => other !== name),
                })
              }
            />
          ))}
          <SelectField
            label="Project"
            value={search.project ?? ''}
            onChange={(event) => set({ project: event.target.value || undefined } as Partial<PlaygroundSearch>)}
          >
            <option value="">All projects</option>
            {projects?.projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </fieldset>
        <ContextFields fields={search.context ?? []} onChange={(context) => set({ context })} />
      </div>
      {question === null ? (
        <Empty title="Choose an environment">
          <p>Then this page says for each flag what an SDK gets with the context, and why.</p>
        </Empty>
      ) : (
        <Shown query={query}>{(answer) => <Evaluations answer={answer!} environments={chosen} />}</Shown>
      )}
    </>
  );
}
