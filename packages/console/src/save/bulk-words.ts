import type { Schemas } from '../api/client.ts';
import { targetingInWords } from '../flags/targeting-words.ts';
import type { BulkAction } from './bulk-action.ts';
import { asSentence, type Phrase, pastOf } from './words.ts';

/** As in `switches 3 flags on in production`. */
export function describeBulkAction(action: BulkAction, count: number): string {
  const { verb, rest } = phraseOf(action, count);
  return `${verb} ${rest}`;
}

/** As in `Switched 3 flags on in production.` */
export function describeBulkDone(action: BulkAction, count: number): string {
  const { verb, rest } = phraseOf(action, count);
  return asSentence(`${pastOf[verb]} ${rest}`);
}

type EnvironmentOfList = Pick<
  Schemas['featureSearchEnvironmentSchema'],
  'enabled' | 'hasStrategies' | 'hasEnabledStrategies' | 'targeting'
>;

/** What a switch of several flags means for one of them, as in `for 25 % where country is NO`. */
export function describeOneSwitch(environment: EnvironmentOfList | undefined, isOn: boolean): string {
  if (environment === undefined) return 'not in this environment';
  const { enabled, hasStrategies, hasEnabledStrategies, targeting } = environment;
  if (enabled === isOn) return isOn ? 'on already' : 'off already';
  if (isOn && !hasEnabledStrategies) return 'gets the default strategy, because it has none that is in use';
  if (!hasEnabledStrategies) return hasStrategies ? 'on for nobody so far' : 'on for everybody so far';
  const whom = targeting === undefined ? 'whom its strategies name' : targetingInWords(targeting);
  return isOn ? `for ${whom}` : `on for ${whom} so far`;
}

function phraseOf(action: BulkAction, count: number): Phrase {
  const flags = count === 1 ? 'one flag' : `${count} flags`;
  switch (action.kind) {
    case 'switch':
      return { verb: 'switches', rest: `${flags} ${action.isOn ? 'on' : 'off'} in ${action.environment}` };
    case 'stale':
      return { verb: 'marks', rest: `${flags} as ${action.isStale ? 'stale' : 'no longer stale'}` };
    case 'tag':
      return { verb: 'adds', rest: `a tag to ${flags}` };
    case 'archive':
      return { verb: 'archives', rest: `${flags}: SDKs no longer get them` };
  }
}
