import { describe } from 'vitest'
import type { Subject } from '../../../test/support/behaviors/engines/subject'
import { itDoesItsWork } from '../../../test/support/behaviors/engines/work'
import { findTofu } from './find'

/** Each command of it takes a second of a core. */
const real: Subject = {
  name: 'OpenTofu',
  program: () => findTofu({ tofuBin: process.env.TOFU_BIN, env: process.env }),
}

// Every behavior is tried with the simulated engine here, and with this one in opentofu.soak.tofu.test.ts.
describe('OpenTofu', () => {
  itDoesItsWork(real)
})
