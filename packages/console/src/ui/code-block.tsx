import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './code-block.module.css';

interface Props {
  title: string;
  /** What the code is, for screen readers. */
  label: string;
  code: string;
}

/** Code with a button that copies it. */
export function CodeBlock({ title, label, code }: Props) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState<{ code: string; how: string } | null>(null);
  const copy = async () => {
    // Browsers have a clipboard only on HTTPS and localhost, and may refuse it. Then the code is selected.
    const isCopied = await navigator.clipboard?.writeText(code).then(
      () => true,
      () => false,
    );
    if (!isCopied && shown.current) getSelection()?.selectAllChildren(shown.current);
    setCopied({ code, how: isCopied ? 'Copied' : 'Selected' });
  };
  return (
    <div className={styles.block}>
      <div className={styles.head}>
        <span>{title}</span>
        <Button look="quiet" onClick={() => void copy()}>
          {copied?.code === code ? copied.how : 'Copy'}
          <span className="visually-hidden"> {label}</span>
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard */}
      <section className={styles.code} tabIndex={0} aria-label={label}>
        <pre ref={shown}>
          <code>{code}</code>
        </pre>
      </section>
    </div>
  );
}
