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
