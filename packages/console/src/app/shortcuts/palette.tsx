import { type KeyboardEvent, useId, useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './shortcuts.module.css';
import { useFound } from './use-found.ts';

/** Searches pages, saved views, projects and flags, and opens what is chosen. */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const { found, isComplete, error } = useFound(text);
  const current = Math.min(place, found.length - 1);
  const choose = (index: number) => {
    const chosen = found[index];
    if (chosen === undefined) return;
    onClose();
    chosen.open();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setPlace(Math.max(0, Math.min(found.length - 1, current + step)));
    else if (event.key === 'Enter') choose(current);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" isOpen onClose={onClose}>
      <TextField
        label="Pages, saved views, projects and flags"
        type="search"
        role="combobox"
        autoComplete="off"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={current < 0 ? undefined : `${id}-${current}`}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label="Found" className={styles.found}>
        {found.map(({ key, label, kind }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and names the option
          <div
            key={key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            className={styles.option}
            ref={(element) => {
              if (index === current) element?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => choose(index)}
          >
            {label}
            <span className={styles.kind}>{kind}</span>
          </div>
        ))}
      </div>
      {error !== null && <p role="alert">Not everything was searched. {error.message}</p>}
      {found.length === 0 && error === null && (
        <p role="status">{isComplete ? 'Nothing is called so.' : 'Searching …'}</p>
      )}
    </Dialog>
  );
}
