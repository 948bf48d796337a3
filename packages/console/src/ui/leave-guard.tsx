import { useBlocker } from '@tanstack/react-router';
import { useEffect, useId } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

/** The guards of what is not saved. Several forms of a page may have something; the first one asks for all of them. */
const dirtyGuards = new Set<string>();

/** Asks before what was typed is lost by another page, the back button or a closed tab. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const id = useId();
  useEffect(() => {
    if (!isDirty) return;
    dirtyGuards.add(id);
    return () => void dirtyGuards.delete(id);
  }, [id, isDirty]);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isDirty && dirtyGuards.values().next().value === id,
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
