import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { featureQuery, projectQuery, segmentsQuery } from '../api/queries.ts';
import { segmentNamesIn } from '../flag/strategy-words.ts';
import { Failed } from '../ui/shown.tsx';
import { environmentAfter, type Flag, type FlagEnvironment, lacksStrategy, switchedOn } from './after.ts';
import type { FlagChange, Strategy, StrategySettings } from './change.ts';
import { ContextForm, type TypedContext, toContext } from './context-form.tsx';
import { answerInWords, effectsInWords, effectsOnceOn, type OnceOn, whyInWords } from './effect-words.ts';
import { compare, effectsOf, fieldsOf, type World } from './effects.ts';
import styles from './effects-view.module.css';
import { nameOf } from './words.ts';

interface Props {
  flag: Flag;
  change: FlagChange;
}

/** For whom a change alters the flag: for sample users, and for a context that a person types. */
export function EffectsView({ flag, change }: Props) {
  const segments = useQuery(segmentsQuery);
  const project = useQuery(projectQuery(flag.project));
  const changed = change.kind === 'dependencies' ? { ...flag, dependencies: change.after } : flag;
  const parentNames = new Set([...flag.dependencies, ...changed.dependencies].map(({ feature }) => feature));
  const parents = useQueries({
    queries: [...parentNames].map((feature) => featureQuery(flag.project, feature)),
  });
  const error = [segments, project, ...parents].find((query) => query.error !== null)?.error;
  if (error) return <Failed error={error} />;
  if (segments.data === undefined || project.data === undefined || parents.some(({ data }) => data === undefined)) {
    return <p className={styles.quiet}>Computing for whom this changes …</p>;
  }
  const environments = flag.environments.filter(
    (each) => !('environment' in change) || each.name === change.environment,
  );
  return environments.map((environment) => {
    const inProject = project.data.environments.find((each) => each.environment === environment.name);
    const chosen = inProject?.defaultStrategy as StrategySettings | undefined;
    const changedTo = environmentAfter(environment, change, chosen);
    const isOff = !environment.enabled && !changedTo.enabled && change.kind !== 'archive';
    const [before, after] = isOff
      ? [switchedOn(environment, chosen), switchedOn(changedTo, chosen)]
      : [environment, changedTo];
    const worldOf = (version: Flag, state: FlagEnvironment): World => ({
      flag: definitionOf(version, state),
      parents: parents.map(({ data }) => definitionOf(data!, inEnvironment(data!, state.name))),
      segments: segments.data.segments,
    });
    return (
      <EffectsIn
        key={environment.name}
        before={{ state: before, world: worldOf(flag, before) }}
        after={{ state: after, world: worldOf(changed, after) }}
        given={change.kind === 'switch' && change.isOn && lacksStrategy(environment) ? after.strategies.at(-1)! : null}
        onceOn={isOff ? { getsDefault: lacksStrategy(environment) } : null}
        names={segmentNamesIn(segments.data)}
      />
    );
  });
}

interface Version {
  state: FlagEnvironment;
  world: World;
}

interface InProps {
  before: Version;
  after: Version;
  /** The default strategy, which the flag gets by its switch because it has no enabled one. Else null. */
  given: Strategy | null;
  /** Of a flag that is off before and after: both versions are then those after its being switched on. Else null. */
  onceOn: OnceOn | null;
  names: ReadonlyMap<number, string>;
}

/** What was typed last, for the next review. */
let lastTyped: TypedContext = {};

function EffectsIn({ before, after, given, onceOn, names }: InProps) {
  const [typed, setTyped] = useState(lastTyped);
  const [now] = useState(Date.now);
  const [old, next] = [before.world, after.world];
  // Not again for each letter that is typed.
  const sentences = useMemo(() => {
    const effects = effectsOf(old, next, now);
    return onceOn === null ? effectsInWords(effects) : effectsOnceOn(effects, onceOn);
  }, [old, next, now, onceOn]);
  const compared = compare(old, next, toContext(typed), now);
  return (
    <section className={styles.effects} aria-label={`Effect in ${before.state.name}`}>
      <div>
        <h3>In {before.state.name}</h3>
        {onceOn !== null && <p>The flag is off there, so nobody has it before and after.</p>}
        {given !== null && <p>It has no enabled strategy there, so it gets the default one: {nameOf(given, names)}.</p>}
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <p className={styles.quiet}>
          Sample users are random. Of each field that strategies name, also of ids, half of them have a value from
          there.
        </p>
      </div>
      <details>
        <summary>And for one context, with the reasons</summary>
        <div className={styles.one}>
          <ContextForm
            fields={fieldsOf(old, next)}
            typed={typed}
            onChange={(context) => {
              lastTyped = context;
              setTyped(context);
            }}
          />
          <div className={styles.sides} aria-live="polite">
            <p>{answerInWords(compared, onceOn)}</p>
            <Side title="Before" sentences={whyInWords(compared.before, before.state, names)} />
            <Side title="After" sentences={whyInWords(compared.after, after.state, names)} />
          </div>
        </div>
      </details>
    </section>
  );
}

function Side({ title, sentences: [outcome, ...reasons] }: { title: string; sentences: string[] }) {
  return (
    <section className={styles.side}>
      <h4>{title}</h4>
      <p>{outcome}</p>
      <ul>
        {reasons.map((sentence, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two equal strategies have equal sentences
          <li key={index}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

function definitionOf(
  flag: Flag,
  { enabled, strategies, variants }: Pick<FlagEnvironment, 'enabled' | 'strategies' | 'variants'>,
) {
  return { name: flag.name, enabled: enabled && !flag.archived, strategies, variants, dependencies: flag.dependencies };
}

const absent = { enabled: false, strategies: [], variants: [] };

function inEnvironment(flag: Flag, environment: string) {
  return flag.environments.find(({ name }) => name === environment) ?? absent;
}
