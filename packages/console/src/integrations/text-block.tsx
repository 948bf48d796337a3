import styles from './outcomes.module.css';

/** A text of an endpoint or JSON, in a box that scrolls. */
export function TextBlock({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls what has the focus
    <pre className={styles.json} tabIndex={0}>
      {text}
    </pre>
  );
}
