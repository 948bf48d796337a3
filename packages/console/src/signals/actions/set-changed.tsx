import { isSame } from '../../save/same.ts';
import { ChangedNotice } from '../../ui/changed-notice.tsx';
import type { ActionSet } from './draft.ts';

/** What a person edits here. Its switch and its times are not. */
const edited = ({ name, description, actorId, match, actions, cooldownSeconds }: ActionSet) => ({
  ...{ name, description, actorId, match, cooldownSeconds },
  actions: actions.map(({ action, sortOrder, executionParams }) => ({ action, sortOrder, executionParams })),
});

/** Says that somebody else changed the set that is edited here. What was typed stays. */
export function SetChanged({ before, now, onTake }: { before: ActionSet; now: ActionSet; onTake: () => void }) {
  if (isSame(edited(before), edited(now))) return null;
  return <ChangedNotice what="this set" onTake={onTake} />;
}
