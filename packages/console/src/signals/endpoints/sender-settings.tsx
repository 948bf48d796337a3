import { useState } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { SelectField } from '../../ui/field.tsx';
import styles from './endpoint-page.module.css';
import { snippetsOf, unknownToken } from './snippets.ts';

/** How a chosen system sends to the endpoint. Without a token the settings name a place for it. */
export function SenderSettings({ address, token = unknownToken }: { address: string; token?: string }) {
  const [chosen, setChosen] = useState('curl');
  const snippets = snippetsOf(address, token);
  const { sender, where, code, whenRefused } = snippets.find((snippet) => snippet.sender === chosen) ?? snippets[0]!;
  return (
    <div className={styles.settings}>
      <SelectField label="Sender" value={chosen} onChange={(event) => setChosen(event.target.value)}>
        {snippets.map((snippet) => (
          <option key={snippet.sender}>{snippet.sender}</option>
        ))}
      </SelectField>
      <p>{where}</p>
      <CodeBlock title="Settings" label={`Settings of ${sender}`} code={code} />
      <p className={styles.quiet}>{whenRefused}</p>
    </div>
  );
}
