import type { StoredSignal } from '../../api/signal-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { isolated, shownJson } from '../../ui/direction.ts';
import { LogRow } from '../../ui/log-row.tsx';
import { Time } from '../../ui/time.tsx';
import { RunState } from '../run-state.tsx';
import { SignalDetail } from './signal-detail.tsx';
import styles from './signal-row.module.css';

/** The beginning of a payload fills a line; the rest is read when the row is opened. */
const previewLength = 300;

/** A signal: where and when it arrived, what ran for it, and on demand its payload. */
export function SignalRow({ signal }: { signal: StoredSignal }) {
  const { id, sourceName, sourceId, tokenName, createdAt, payload, runs } = signal;
  return (
    <LogRow id={id} what={`signal ${id}`} detail={() => <SignalDetail signal={signal} />}>
      <p className={styles.facts}>
        <strong>{sourceName ?? `deleted endpoint ${sourceId}`}</strong>
        <span>
          {isolated(tokenName ?? 'a deleted token')} · <Time at={createdAt} />
        </span>
        {runs?.length === 0 && <Badge>no action set ran</Badge>}
        {runs?.map(({ id: runId, actionSetName, state }) => (
          <span key={runId} className={styles.run}>
            {isolated(actionSetName ?? 'a deleted action set')} <RunState state={state} />
          </span>
        ))}
      </p>
      {payload !== undefined && <p className={styles.preview}>{shownJson(payload).slice(0, previewLength)}</p>}
    </LogRow>
  );
}
