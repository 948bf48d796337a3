import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { featureQuery, segmentsQuery } from '../api/queries.ts';
import { segmentNamesIn } from '../flag/strategy-words.ts';
import { Button } from '../ui/button.tsx';
import { CloseButton, Dialog, DialogActions, isSent } from '../ui/dialog.tsx';
import { SendAgain } from '../ui/send-again.tsx';
import { rebased } from './after.ts';
import { type Attempt, attempt } from './attempt.ts';
import { type FlagChange, hasEffect, type Target } from './change.ts';
import { Conflict } from './conflict.tsx';
import { EffectsView } from './effects-view.tsx';
import { readAgain } from './optimistic.ts';
import { type FailedOutcome, outcomeOf } from './outcome.ts';
import styles from './review.module.css';
import { type Outcome, saveNow, sayChanged } from './save-now.ts';
import { describeAttempt, describeChange, detailsOf } from './words.ts';

interface Props {
  target: Target;
  change: FlagChange;
  end: (outcome: Outcome) => void;
}

/** Says what a change does and for whom, sends it, and says what came of it. */
export function Review({ target, change: asked, end }: Props) {
  const queries = useQueryClient();
  const [change, setChange] = useState(asked);
  const [progress, setProgress] = useState<'none' | 'sending' | 'reading'>('none');
  const [result, setResult] = useState<Attempt | null>(null);
  const flag = useQuery({ ...featureQuery(target.project, target.feature), enabled: hasEffect(asked) });
  const segments = useQuery(segmentsQuery);
  const names = segmentNamesIn(segments.data);

  const apply = async (wanted: FlagChange) => {
    if (wanted.kind === 'switch') {
      end('done');
      await saveNow(queries, target, wanted);
      return;
    }
    setProgress('sending');
    const next = await attempt(queries, target, wanted);
    // While the browser is offline a read does not end.
    const read = readAgain(queries, target);
    if (next.state === 'done') {
      setProgress('reading');
      await read;
      sayChanged(queries, target, wanted, next.undo);
      end('done');
    } else setResult(next);
    setProgress('none');
  };
  const isBusy = progress !== 'none';
  const staysBecause = progress === 'sending' ? isSent.change : null;
  const onClose = () => {
    if (progress === 'reading') end('done');
    else end(result?.state === 'refused' ? result.error : 'not-done');
  };
  const details = detailsOf(change, names);
  const failed = result?.state === 'refused' ? outcomeOf(result.error, describeAttempt(target, change, names)) : null;

  if (result?.state === 'conflict') {
    return (
      <Dialog title="Somebody else changed this" isOpen {...{ onClose, staysBecause }} size="large">
        <Conflict
          {...{ target, change, names, isBusy, ...result }}
          onDiscard={() => end('discarded')}
          onKeep={() => {
            const again = rebased(change, result.now);
            setChange(again);
            void apply(again);
          }}
        />
      </Dialog>
    );
  }
  return (
    <Dialog
      title={`Change ${target.feature}`}
      isOpen
      {...{ onClose, staysBecause }}
      size={hasEffect(change) ? 'large' : 'small'}
    >
      <p>This {describeChange(target, change, names)}.</p>
      {details.length > 0 && (
        <ul className={styles.details}>
          {details.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {hasEffect(change) && flag.data !== undefined && <EffectsView flag={flag.data} change={change} />}
      {failed !== null && <Refused {...failed} />}
      {result?.state === 'unknown' ? (
        <Unknown isDone={result.isDone} onClose={() => end(result.isDone ? 'done' : 'not-done')} />
      ) : (
        <DialogActions>
          <CloseButton>{result === null ? 'Cancel' : 'Back'}</CloseButton>
          {result === null ? (
            <Button look="primary" isBusy={isBusy} onClick={() => void apply(change)}>
              Apply
            </Button>
          ) : (
            result.state === 'refused' &&
            failed?.canSendAgain &&
            !isBusy && (
              <SendAgain error={result.error} onClick={() => void apply(change)}>
                Try again
              </SendAgain>
            )
          )}
        </DialogActions>
      )}
    </Dialog>
  );
}

function Refused({ title, description }: FailedOutcome) {
  return (
    <div className={styles.refused} role="alert">
      <p className={styles.strong}>{title}</p>
      <p>{description}</p>
    </div>
  );
}

/** After no answer. The change is not sent again. */
function Unknown({ isDone, onClose }: { isDone: boolean | null; onClose: () => void }) {
  const found = isDone
    ? 'The flag was read again: the change is in effect.'
    : isDone === false
      ? 'The flag was read again: the change is not in effect so far.'
      : 'Look at the flag before you try again.';
  return (
    <>
      <p className={styles.unknown} role="alert">
        No answer came, so the outcome is unknown. It was not sent again. {found}
      </p>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </>
  );
}
