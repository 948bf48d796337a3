/** A step of `relabel_configs` of Prometheus, with the actions that this project uses. */
export interface RelabelStep {
  source_labels: string[];
  regex?: string;
  action?: 'keep' | 'drop' | 'replace';
  target_label?: string;
  replacement?: string;
}

/**
 * The labels of a target after all steps, and null if one of them drops it. As in Prometheus, an expression is for the
 * whole text, a missing label is an empty text, and the default of `replacement` is `$1` of `(.*)`.
 */
export function relabel(
  labels: Readonly<Record<string, string>>,
  steps: readonly RelabelStep[],
): Record<string, string> | null {
  const result = { ...labels };
  for (const { source_labels, regex = '(.*)', action = 'replace', target_label, replacement = '$1' } of steps) {
    const text = source_labels.map((label) => result[label] ?? '').join(';');
    const expression = new RegExp(`^(?:${regex})$`);
    const matches = expression.test(text);
    if (action !== 'replace' && matches !== (action === 'keep')) return null;
    if (action === 'replace' && matches) result[target_label!] = text.replace(expression, replacement);
  }
  return Object.fromEntries(Object.entries(result).filter(([label]) => !label.startsWith('__')));
}
