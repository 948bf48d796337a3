import { DashboardBuilder, DatasourceVariableBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

export interface Query {
  expr: string;
  /** The name of a line, with labels as `{{label}}`. */
  legend: string;
}

export interface Panel {
  title: string;
  /** What an operator reads off it. */
  description: string;
  /** A unit of Grafana, such as `s`, `bytes`, `reqps`, `percentunit` or `short`. */
  unit: string;
  queries: readonly Query[];
  /** A number instead of lines. */
  isStat?: boolean;
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

export interface Dashboard {
  uid: string;
  title: string;
  description: string;
  rows: readonly Row[];
}

/** Every panel reads the data source that the reader of the dashboard selects. */
const datasource = { type: 'prometheus', uid: '$datasource' };

/** Of the 24 columns of a row. */
const widths = { stat: 6, timeseries: 8 };
/** In rows of 30 pixels. */
const heights = { stat: 4, timeseries: 8 };

function panelOf({ title, description, unit, queries, isStat = false }: Panel) {
  const builder = isStat ? new StatBuilder() : new TimeseriesBuilder().min(0);
  builder
    .title(title)
    .description(description)
    .unit(unit)
    .datasource(datasource)
    .span(isStat ? widths.stat : widths.timeseries)
    .height(isStat ? heights.stat : heights.timeseries);
  for (const [index, { expr, legend }] of queries.entries()) {
    const query = new DataqueryBuilder()
      .refId(String.fromCharCode('A'.charCodeAt(0) + index))
      .expr(expr)
      .legendFormat(legend);
    builder.withTarget(isStat ? query.instant() : query.range());
  }
  return builder;
}

/** The JSON of a dashboard, as Grafana imports and provisions it. */
export function dashboardJson({ uid, title, description, rows }: Dashboard): string {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['yardarm'])
    .refresh('30s')
    .time({ from: 'now-1h', to: 'now' })
    .timezone('browser')
    .readonly()
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'));
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title));
    for (const panel of row.panels) builder.withPanel(panelOf(panel));
  }
  return `${JSON.stringify(builder.build(), null, 2)}\n`;
}
