// The committed objects are those that kubectl makes of the tree. Without kubectl the test fails, with a sentence that
// says so.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { KubectlError, requireKubectl } from './kubectl.ts';

const check = () =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'main.ts'), '--check'], { encoding: 'utf8' });

test('deploy/kubernetes/rendered is current, and each folder of production alone has the same objects', () => {
  const { status, stdout, stderr } = check();
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: 'trial, production, signals, traces, after-restore: current\n',
    stderr: '',
  });
});

test('without kubectl, or with one that is too old, a sentence says what to install', () => {
  expect(() => requireKubectl('/nowhere/kubectl')).toThrow(
    new KubectlError(
      'kubectl is not installed. Install kubectl 1.32 or newer, such as the package kubernetes-client of Debian 13.',
    ),
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-kubectl-'));
  try {
    const old = path.join(folder, 'kubectl');
    writeFileSync(old, `#!/bin/sh\necho '{"clientVersion":{"gitVersion":"v1.20.2"}}'\n`, { mode: 0o755 });
    expect(() => requireKubectl(old)).toThrow('kubectl is v1.20.2, which is too old.');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
