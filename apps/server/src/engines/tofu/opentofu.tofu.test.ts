import { describe } from 'vitest'
import type { Subject } from '../../../test/support/behaviors/engines/subject'
import { itDoesItsWork } from '../../../test/support/behaviors/engines/work'
import { findTofu } from './find'

/** Each command of the real engine takes a second of CPU time. */
const real: Subject = {
  name: 'OpenTofu',
  program: () => findTofu({ tofuBin: process.env.TOFU_BIN, env: process.env }),
}

// All behaviors are tested with the simulated engine, and with OpenTofu in opentofu.soak.tofu.test.ts.
describe('OpenTofu', () => {
  itDoesItsWork(real)
})
