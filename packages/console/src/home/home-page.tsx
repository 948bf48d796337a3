import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { eventsQuery, featuresQuery, meQuery } from '../api/queries.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Row, Rows, rowName } from '../ui/rows.tsx';
import { Failed, Loading, Shown } from '../ui/shown.tsx';
import { Time } from '../ui/time.tsx';
import { changedFlags } from './changed-flags.ts';
import styles from './home-page.module.css';
import { useAttention } from './use-attention.ts';

/** What needs the user, and the flags that are theirs. */
export function HomePage() {
  return (
    <>
      <PageHead title="Home" />
      <div className={styles.parts}>
        <Attention />
        <div className={styles.columns}>
          <Favorites />
          <Recent />
        </div>
      </div>
    </>
  );
}

function Attention() {
  const { concerns, isComplete, errors } = useAttention();
  return (
    <section aria-labelledby="attention" className={styles.part}>
      <h2 id="attention">What needs attention</h2>
      {errors[0] && <Failed error={errors[0]} />}
      {concerns.length > 0 && (
        <Rows label="What needs attention">
          {concerns.map(({ key, says, to, search, action }) => (
            <Row
              key={key}
              name={says}
              end={
                <Link to={to} search={search ?? {}}>
                  {action}
                </Link>
              }
            />
          ))}
        </Rows>
      )}
      {concerns.length === 0 && errors.length === 0 && (isComplete ? <p>Nothing at the moment.</p> : <Loading />)}
    </section>
  );
}

function Favorites() {
  const query = useInfiniteQuery(featuresQuery({ favorite: 'IS:true' }));
  return (
    <section aria-labelledby="favorites" className={styles.part}>
      <h2 id="favorites">Your favourites</h2>
      <Shown query={query}>
        {({ pages }) => {
          const flags = pages[0]?.features ?? [];
          return flags.length === 0 ? (
            <p className={styles.quiet}>The star of a flag puts it here.</p>
          ) : (
            <Rows label="Your favourites">
              {flags.map(({ name, project }) => (
                <Row key={name} name={<FlagLink name={name} project={project} />} facts={[project]} />
              ))}
            </Rows>
          );
        }}
      </Shown>
    </section>
  );
}

function Recent() {
  const { data: me } = useQuery(meQuery);
  const query = useInfiniteQuery({ ...eventsQuery({ createdBy: `IS:${me?.user.id}` }), enabled: me !== undefined });
  return (
    <section aria-labelledby="recent" className={styles.part}>
      <h2 id="recent">Flags you changed</h2>
      <Shown query={query}>
        {({ pages }) => {
          const flags = changedFlags(pages[0]?.events ?? []);
          return flags.length === 0 ? (
            <p className={styles.quiet}>You have changed none lately.</p>
          ) : (
            <Rows label="Flags you changed">
              {flags.map(({ name, project, at }) => (
                <Row key={`${project} ${name}`} name={<FlagLink name={name} project={project} />}>
                  <p className={styles.quiet}>
                    {project} · <Time at={at} />
                  </p>
                </Row>
              ))}
            </Rows>
          );
        }}
      </Shown>
    </section>
  );
}

function FlagLink({ name, project }: { name: string; project: string }) {
  return (
    <Link
      to="/projects/$projectId/features/$featureName"
      params={{ projectId: project, featureName: name }}
      className={rowName}
    >
      {name}
    </Link>
  );
}
