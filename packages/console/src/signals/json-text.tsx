import { shownJson } from '../ui/direction.ts';
import styles from './json-text.module.css';

/** Data of a sender. It is shown as text, whatever it contains. */
export function JsonText({ label, value }: { label: string; value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard
    <section aria-label={label} tabIndex={0} className={styles.json}>
      <pre>{shownJson(value, 2)}</pre>
    </section>
  );
}
