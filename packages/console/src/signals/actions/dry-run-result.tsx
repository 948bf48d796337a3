import type { Schemas } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { isolated } from '../../ui/direction.ts';
import styles from './action-set.module.css';
import type { Definitions } from './draft.ts';

interface Props {
  result: Schemas['testActionsResponseSchema'];
  definitions: Definitions;
}

/** Which filters a payload satisfies, and the steps that it would run. */
export function DryRunResult({ result: { matches, filters, steps }, definitions }: Props) {
  return (
    <div className={styles.result}>
      <p>
        <Badge look={matches ? 'good' : 'warning'}>{matches ? 'It matches' : 'It does not match'}</Badge>{' '}
        {matches ? 'The set would do this:' : 'The set would do nothing. If it matched, it would do this:'}
      </p>
      {filters.length > 0 && (
        <ul className={styles.lines}>
          {filters.map((filter) => (
            <li key={filter.parameter}>
              <Badge look={filter.matches ? 'good' : 'danger'}>{filter.matches ? 'holds' : 'does not hold'}</Badge>{' '}
              <code>{filter.parameter}</code>{' '}
              {filter.value === null ? (
                'is not in the payload'
              ) : (
                <>
                  is <code>{filter.value}</code>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      <ol className={styles.lines}>
        {steps.map(({ action, sortOrder, parameters: { project: _, ...parameters }, problem }) => (
          <li key={sortOrder}>
            {sortOrder}. {definitions[action].label}:{' '}
            {Object.values(parameters)
              .map((value) => isolated(`${value}`))
              .join(', ')}
            {problem !== null && <p className={styles.error}>It would fail: {problem}</p>}
          </li>
        ))}
      </ol>
    </div>
  );
}
