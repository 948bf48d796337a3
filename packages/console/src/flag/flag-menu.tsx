import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import { useMissing } from '../app/session.ts';
import type { Flag } from '../save/after.ts';
import type { FlagChange } from '../save/change.ts';
import { useSave } from '../save/save.tsx';
import button from '../ui/button.module.css';
import { MenuItem, MenuList } from '../ui/menu.tsx';

/** What can be done with a flag as a whole. */
export function FlagMenu({ flag }: { flag: Flag }) {
  const save = useSave();
  const missing = useMissing();
  const navigate = useNavigate();
  const { project, name: feature, stale, lifecycle } = flag;
  const apply = (change: FlagChange) => void save({ project, feature }, change);
  return (
    <Menu.Root>
      <Menu.Trigger className={button.button}>More …</Menu.Trigger>
      <MenuList>
        <MenuItem onClick={() => void navigate({ to: '/welcome', search: { project, flag: feature } })}>
          Connect an SDK
        </MenuItem>
        <MenuItem
          offBecause={missing('UPDATE_FEATURE', project)}
          onClick={() => apply({ kind: 'settings', before: { stale }, after: { stale: !stale } })}
        >
          {stale ? 'Mark as not stale' : 'Mark as stale'}
        </MenuItem>
        {lifecycle.stage === 'completed' ? (
          <MenuItem offBecause={missing('UPDATE_FEATURE', project)} onClick={() => apply({ kind: 'uncomplete' })}>
            Mark as live again
          </MenuItem>
        ) : (
          (['kept', 'discarded'] as const).map((status) => (
            <MenuItem
              key={status}
              offBecause={missing('UPDATE_FEATURE', project)}
              onClick={() => apply({ kind: 'complete', status, wasLive: lifecycle.stage === 'live' })}
            >
              Mark as completed: {status}
            </MenuItem>
          ))
        )}
        <MenuItem
          isDangerous
          offBecause={
            flag.children.length > 0 ? `${flag.children.join(', ')} depends on it.` : missing('DELETE_FEATURE', project)
          }
          onClick={() => apply({ kind: 'archive' })}
        >
          Archive
        </MenuItem>
      </MenuList>
    </Menu.Root>
  );
}
