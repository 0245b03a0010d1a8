import { text, valueAt, type Cloud } from './kind'

/** Types that are built into the engine: they exist only in the state. */
export const builtin: Cloud = {
  prefix: 'terraform_',
  kinds: {
    terraform_data: {
      kind: 'other',
      ms: 30,
      id: ({ seed }) => text('00000000-', seed.token),
      gives: ({ config }) => ({
        output: valueAt(config, 'input'),
        triggers_replace: valueAt(config, 'triggers_replace'),
      }),
      fixed: ['triggers_replace'],
    },
  },
  other: { kind: 'other', ms: 0, id: ({ seed }) => seed.token },
  account: () => 'builtin',
  region: () => 'builtin',
  tags: () => ({}),
  data: {},
  failures: {
    busyDisk: '',
    badCredential: 'no valid credential',
    quota: 'quota exceeded',
    capacity: 'Out of capacity',
    bootTimeout: 'timeout while waiting',
  },
}
