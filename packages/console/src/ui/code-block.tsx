import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './code-block.module.css';

interface Props {
  /** What the code is, for screen readers. */
  label: string;
  code: string;
}

/** Code with a button that copies it. */
export function CodeBlock({ label, code }: Props) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async () => {
    // Browsers have a clipboard only on HTTPS and localhost. Elsewhere the code is selected.
    if (navigator.clipboard) await navigator.clipboard.writeText(code);
    else if (shown.current) getSelection()?.selectAllChildren(shown.current);
    setCopied(navigator.clipboard ? 'Copied' : 'Selected');
  };
  const isShort = !code.includes('\n');
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard */}
      <section className={`${styles.code} ${isShort ? styles.short : ''}`} tabIndex={0} aria-label={label}>
        <pre ref={shown}>
          <code>{code}</code>
        </pre>
      </section>
      <div className={styles.copy}>
        <Button onClick={() => void copy()}>
          {copied ?? 'Copy'}
          <span className="visually-hidden"> {label}</span>
        </Button>
      </div>
    </div>
  );
}
