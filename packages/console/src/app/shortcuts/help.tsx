import { Fragment } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './shortcuts.module.css';

const shortcuts = [
  ['Ctrl K', 'Search pages, projects and flags'],
  ['/', 'Go to the search of the page'],
  ['j', 'Go to the next row'],
  ['k', 'Go to the row before'],
  ['x', 'Select the row'],
  ['g h', 'Go to the start'],
  ['g f', 'Go to flags'],
  ['g p', 'Go to projects'],
  ['g i', 'Go to integrations'],
  ['g s', 'Go to signals'],
  ['g e', 'Go to the event log'],
  ['g a', 'Go to the administration'],
  ['?', 'Show this'],
] as const;

/** Which key does what. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" isOpen onClose={onClose}>
      <dl className={styles.keys}>
        {shortcuts.map(([keys, does]) => (
          <Fragment key={keys}>
            <dt>
              <kbd className={styles.key}>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
      <p>The account menu switches the single keys off.</p>
    </Dialog>
  );
}
