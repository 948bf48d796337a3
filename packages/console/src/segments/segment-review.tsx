import type { UseQueryResult } from '@tanstack/react-query';
import { constraintInWords } from '../flag/strategy-words.ts';
import type { Constraint } from '../save/change.ts';
import { Button } from '../ui/button.tsx';
import type { StrategyUse } from '../ui/by-flag.ts';
import { CloseButton, Dialog, DialogActions, isSent } from '../ui/dialog.tsx';
import { isolated } from '../ui/direction.ts';
import { StrategyUses } from '../ui/strategy-uses.tsx';

interface Props {
  /** Of the segment, before the change. */
  name: string;
  before: Constraint[];
  after: Constraint[];
  uses: UseQueryResult<StrategyUse[]>;
  isBusy: boolean;
  onApply: () => void;
  onClose: () => void;
}

/** Says which flags a change of a segment reaches, before it is sent. */
export function SegmentReview({ name, before, after, uses, isBusy, onApply, onClose }: Props) {
  const staysBecause = isBusy ? isSent.change : null;
  return (
    <Dialog title={`Change who is in the segment ${isolated(name)}?`} isOpen {...{ onClose, staysBecause }}>
      <p>
        Before: <strong>{inWords(before)}</strong>
      </p>
      <p>
        After: <strong>{inWords(after)}</strong>
      </p>
      <p>This changes for whom these flags are on, in every environment that is listed:</p>
      <StrategyUses query={uses} />
      <DialogActions>
        <CloseButton />
        <Button
          look="primary"
          isBusy={isBusy}
          offBecause={uses.data === undefined ? 'It is not known yet what uses it.' : null}
          onClick={onApply}
        >
          Apply
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function inWords(constraints: Constraint[]): string {
  return constraints.length === 0 ? 'everybody' : constraints.map(constraintInWords).join(' and ');
}
