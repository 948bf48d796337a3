import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Problem } from '../../api/problem.ts';
import { segmentsQuery } from '../../api/queries.ts';
import { requirementInWords } from '../../save/dependency-words.ts';
import { isSame } from '../../save/same.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { Time } from '../../ui/time.tsx';
import { inWords, type SegmentNames, segmentNamesIn } from '../strategy-words.ts';
import { VariantShares } from '../variant-shares.tsx';
import styles from './history.module.css';
import { type Past, type PastEnvironment, type PastFlag, pastOf } from './past.ts';
import { sinceQuery } from './past-query.ts';

interface Props {
  project: string;
  feature: string;
  /** A moment in UTC. */
  at: string;
  /** The focus follows a choice on the page, but not the address that it was opened with. */
  isChosenHere: boolean;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The flag as it was at a moment, with what is not known. */
export function PastView({ project, feature, at, isChosenHere }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each choice of a moment takes the focus
  useEffect(() => {
    if (isChosenHere) heading.current!.focus();
  }, [at, isChosenHere]);
  const query = useQuery(sinceQuery(project, feature, at.slice(0, 10)));
  const segments = useQuery(segmentsQuery);
  const names = segmentNamesIn(segments.data);
  const isMissing = query.error instanceof Problem && query.error.kind === 'missing';
  return (
    <section className={styles.past} aria-labelledby="past">
      <h2 id="past" ref={heading} tabIndex={-1}>
        As it was on {exact.format(new Date(at))}
      </h2>
      {isMissing ? (
        <p>
          This is worked out from what the flag is now. The flag is archived or gone, so it is not known. The events
          below say what each change was.
        </p>
      ) : (
        <Shown query={query}>
          {({ flag, events, isComplete }) => {
            if (!isComplete) {
              return <p>Too much has happened since to work it out here. Choose a later moment.</p>;
            }
            const now = pastOf(flag, [], 0).flag!;
            return <PastState past={pastOf(flag, events, Date.parse(at))} {...{ at, now, names }} />;
          }}
        </Shown>
      )}
    </section>
  );
}

function PastState({ past, at, now, names }: { past: Past; at: string; now: PastFlag; names: SegmentNames }) {
  const { flag, unknown } = past;
  return (
    <>
      {unknown.length > 0 && (
        <ul className={styles.unknown} aria-label="What is not known">
          {unknown.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {flag === null ? (
        <Empty title="There was no flag of this name" />
      ) : (
        <>
          <Facts flag={flag} at={at} />
          <div className={styles.environments}>
            {flag.environments.map((environment) => (
              <EnvironmentThen
                key={environment.name}
                {...{ environment, names }}
                isAsNow={now.environments.some((each) => isSame(withoutPlaces(each), withoutPlaces(environment)))}
              />
            ))}
          </div>
          {flag.environments.some(({ strategies }) => strategies.some((each) => each.segments.length > 0)) && (
            <p className={styles.quiet}>Segments are named. What they contained then is not shown here.</p>
          )}
        </>
      )}
    </>
  );
}

function Facts({ flag, at }: { flag: PastFlag; at: string }) {
  const { project, type, description, stale, impressionData, archived, tags, links, dependencies } = flag;
  return (
    <>
      <p className={styles.facts}>
        <Time at={at} />
        <span>project {project}</span>
        <span>{type}</span>
        {archived && <Badge look="danger">archived</Badge>}
        {stale && <Badge look="warning">stale</Badge>}
        {impressionData && <span>impression events</span>}
        {tags.map((tag) => (
          <Badge key={`${tag.type}:${tag.value}`}>
            {tag.type}:{tag.value}
          </Badge>
        ))}
        {links.map(({ url, title }) => (
          <span key={url}>{title || url}</span>
        ))}
      </p>
      {description && <p>{description}</p>}
      {dependencies.map((parent) => (
        <p key={parent.feature}>
          On only where {parent.feature} is {requirementInWords(parent)}.
        </p>
      ))}
    </>
  );
}

interface ThenProps {
  environment: PastEnvironment;
  isAsNow: boolean;
  names: SegmentNames;
}

function EnvironmentThen({ environment: { name, enabled, strategies, variants }, isAsNow, names }: ThenProps) {
  return (
    <section className={styles.environment} aria-label={`${name} then`}>
      <header>
        <h3>{name}</h3>
        <Badge look={enabled ? 'good' : 'plain'}>{enabled === null ? 'not known' : enabled ? 'on' : 'off'}</Badge>
        <span className={styles.quiet}>{isAsNow ? 'as it is now' : 'different now'}</span>
      </header>
      {strategies.length === 0 && <p className={styles.quiet}>No strategy.</p>}
      <ol className={styles.strategies}>
        {strategies.map((strategy) => {
          const words = inWords(strategy, names);
          return (
            <li key={strategy.id}>
              {strategy.title || words} {strategy.disabled && <Badge>disabled</Badge>}
              {strategy.title && <p className={styles.quiet}>{words}</p>}
              {strategy.variants.length > 0 && <VariantShares variants={strategy.variants} />}
            </li>
          );
        })}
      </ol>
      {variants.length > 0 && <VariantShares variants={variants} />}
    </section>
  );
}

/** The places of strategies are numbered anew when their order is taken back. */
const withoutPlaces = (environment: PastEnvironment) => ({
  ...environment,
  strategies: environment.strategies.map((strategy) => ({ ...strategy, sortOrder: 0 })),
});
