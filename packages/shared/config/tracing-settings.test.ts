import { expect, test } from 'vitest';
import { loadConfig } from './index.ts';
import { tracingSettings } from './tracing-settings.ts';

const load = (environment: Record<string, string>) => loadConfig(tracingSettings, environment);

test('without a setting there is no collector, and every trace would be exported', () => {
  expect(load({})).toEqual({
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: {},
    OTEL_RESOURCE_ATTRIBUTES: {},
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    OTEL_TRACES_SAMPLER_ARG: 1,
  });
});

test('headers and attributes are pairs whose values are decoded', () => {
  const read = load({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318/otlp/',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc==, x-team = core',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,k8s.pod.name=flags-0',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.05',
  });
  expect(read).toMatchObject({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer abc==', 'x-team': 'core' },
    OTEL_RESOURCE_ATTRIBUTES: { 'deployment.environment.name': 'test', 'k8s.pod.name': 'flags-0' },
    OTEL_TRACES_SAMPLER_ARG: 0.05,
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'should be an http:// or https:// URL'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'should be http/protobuf, the only protocol of this service'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a secret', 'should be name=value pairs'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%0d%0ab', 'should be name=value pairs'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz', 'should be name=value pairs'],
  ['OTEL_TRACES_SAMPLER', 'always', 'should be one of always_on, always_off, traceidratio, parentbased_always_on,'],
  ['OTEL_TRACES_SAMPLER_ARG', '2', 'should be a number from 0 to 1'],
])('%s=%s is refused in a sentence that has no value', (name, value, problem) => {
  expect(() => load({ [name]: value })).toThrow(`${name}: ${problem}`);
});
