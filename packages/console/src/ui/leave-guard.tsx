import { useBlocker } from '@tanstack/react-router';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

/** Asks before what was typed is lost by another page, the back button or a closed tab. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return <LeaveQuestion onStay={reset} onLeave={proceed} />;
}

/** The question before what was typed is lost. */
export function LeaveQuestion({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Dialog title="Leave without saving?" isOpen onClose={onStay}>
      <p>What you changed here is not saved.</p>
      <DialogActions>
        <Button onClick={onStay}>Stay</Button>
        <Button look="danger" onClick={onLeave}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  );
}
