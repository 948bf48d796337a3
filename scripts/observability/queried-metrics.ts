import { parser } from '@prometheus-io/lezer-promql';

/** A metric that an expression reads, with the labels that the expression names of it. */
export interface QueriedMetric {
  name: string;
  labels: string[];
}

/** The variables of Grafana, with values that PromQL accepts. */
const variables: readonly [RegExp, string][] = [[/\$__rate_interval/g, '1m']];

/** The metrics of an expression of PromQL. Throws with the expression if it is not well-formed. */
export function queriedMetrics(expression: string): QueriedMetric[] {
  const text = variables.reduce((replaced, [variable, value]) => replaced.replaceAll(variable, value), expression);
  const found: QueriedMetric[] = [];
  /** The labels by which aggregations group what is below them. */
  const groupings: string[][] = [];
  const textOf = ({ from, to }: { from: number; to: number }) => text.slice(from, to);
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`not PromQL: ${expression}`);
      if (node.name === 'AggregateExpr') {
        const labels =
          node.node.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
        groupings.push(labels.map(textOf));
      }
      if (node.name !== 'VectorSelector') return;
      const name = node.node.getChild('Identifier');
      if (name === null) throw new Error(`a selector without a metric: ${expression}`);
      const matchers = node.node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      const matched = matchers.map((matcher) => textOf(matcher.getChild('LabelName')!));
      found.push({ name: textOf(name), labels: [...matched, ...groupings.flat()] });
    },
    leave(node) {
      if (node.name === 'AggregateExpr') groupings.pop();
    },
  });
  return found;
}
