import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { describeChange, type FlagChange, type Target } from './change.ts';

interface Props {
  target: Target;
  change: FlagChange;
  onClose: () => void;
  onApply: () => void;
}

/** Says what a change does before it is sent. */
export function Review({ target, change, onClose, onApply }: Props) {
  return (
    <Dialog title={`Change ${target.feature}`} isOpen onClose={onClose}>
      <p>This {describeChange(target, change)}.</p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" onClick={onApply}>
          Apply
        </Button>
      </DialogActions>
    </Dialog>
  );
}
