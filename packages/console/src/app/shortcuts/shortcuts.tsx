import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { sayMissingPart } from '../../ui/toasts.tsx';
import { focusSearch, selectRow, stepRow } from './rows.ts';
import { type Shortcut, shortcutOf } from './shortcut-of.ts';
import styles from './shortcuts.module.css';
import { useSingleKeys } from './single-keys.ts';

/** Where a key is text, or means something already. */
const taken = 'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"]';

/** How long after `g` the next key leads to a page. */
const sequenceMs = 1_500;

type Dialog = ComponentType<{ onClose: () => void }>;

/** Loaded once they are asked for. */
const dialogs = {
  search: async () => (await import('./palette.tsx')).Palette,
  help: async () => (await import('./help.tsx')).ShortcutHelp,
} satisfies Record<string, () => Promise<Dialog>>;

/** The keys of every page, and the button of the search over all of it. */
export function Shortcuts() {
  const navigate = useNavigate();
  const areSinglesOn = useSingleKeys();
  const [shown, setShown] = useState<{ Dialog: Dialog } | null>(null);
  const before = useRef({ key: '', at: 0 });
  const open = (name: keyof typeof dialogs) =>
    void dialogs[name]().then((Dialog) => setShown({ Dialog }), sayMissingPart);
  const act = (shortcut: Shortcut) => {
    if (shortcut.kind === 'step') stepRow(shortcut.by);
    else if (shortcut.kind === 'select') selectRow();
    else if (shortcut.kind === 'go') void navigate({ to: shortcut.to });
    else if (shortcut.kind === 'help') open('help');
    else if (shortcut.kind === 'search' || !focusSearch()) open('search');
  };

  const onKey = (event: KeyboardEvent) => {
    const last = event.timeStamp - before.current.at < sequenceMs ? before.current.key : '';
    before.current = { key: event.key, at: event.timeStamp };
    const shortcut = shortcutOf(event, last, areSinglesOn);
    if (shortcut === null || event.defaultPrevented) return;
    if (shortcut.kind !== 'search' && event.target instanceof Element && event.target.closest(taken)) return;
    event.preventDefault();
    before.current.key = '';
    act(shortcut);
  };
  const newest = useRef(onKey);
  newest.current = onKey;
  useEffect(() => {
    const listener = (event: KeyboardEvent) => newest.current(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);

  return (
    <>
      <Button className={styles.button} onClick={() => open('search')} aria-keyshortcuts="Control+K Meta+K">
        Search <kbd className={styles.key}>Ctrl K</kbd>
      </Button>
      {shown && <shown.Dialog onClose={() => setShown(null)} />}
    </>
  );
}
